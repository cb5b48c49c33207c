// What MFUSIM_CUPTI makes the CUPTI double do; run once for each of its values.
#include <cuda_runtime_api.h>
#include <cupti.h>

#include <ctime>
#include <string>
#include <vector>

#include "expect.hpp"
#include "newest_records.hpp"

namespace {

constexpr int kCopies = 10;
constexpr uint64_t kSecond = 1'000'000'000;

struct Seen {
  uint64_t start, end;
  uint32_t correlation;
};
std::vector<Seen> g_seen;
int g_empty = 0, g_buffers = 0;

uint64_t now_ns() {
  timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return uint64_t(t.tv_sec) * kSecond + uint64_t(t.tv_nsec);
}

void request(uint8_t** buffer, size_t* bytes, size_t* records) {
  *bytes = 65536;
  *buffer = static_cast<uint8_t*>(aligned_alloc(8, *bytes));
  *records = 0;
}
void complete(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  ++g_buffers;
  g_empty += valid == 0;
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    const auto& copy = *reinterpret_cast<const mfusim::cupti::CopyRecord*>(record);
    g_seen.push_back({copy.start, copy.end, copy.correlationId});
  }
  free(buffer);
}
void callback(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

void copy() {
  char bytes[16] = {};
  void* device;
  EXPECT(cudaMalloc(&device, sizeof bytes) == cudaSuccess);
  for (int i = 0; i < kCopies; ++i) {
    EXPECT(cudaMemcpy(device, bytes, sizeof bytes, cudaMemcpyHostToDevice) == cudaSuccess);
  }
}

// Copies lie apart, so that their calls' ids follow each other: every fifth is spoilt.
template <class IsSpoilt>
void expect_spoilt(int how_many, IsSpoilt&& is_spoilt) {
  EXPECT(g_seen.size() == kCopies);
  int spoilt = 0;
  for (const Seen& record : g_seen) spoilt += is_spoilt(record);
  EXPECT(spoilt == how_many);
}

void expect_order(bool reversed) {
  int backwards = 0;
  for (size_t i = 1; i < g_seen.size(); ++i)
    backwards += g_seen[i].correlation < g_seen[i - 1].correlation;
  EXPECT(g_seen.size() == kCopies && (backwards > 0) == reversed);
}

}  // namespace

int main() {
  const char* value = getenv("MFUSIM_CUPTI");
  EXPECT(value);
  const std::string mode = value;
  CUpti_SubscriberHandle subscriber;
  const CUptiResult subscribed = cuptiSubscribe(&subscriber, callback, nullptr);
  const CUptiResult registered = cuptiActivityRegisterCallbacks(request, complete);
  const CUptiResult enabled = cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY);
  const uint64_t begin = now_ns();
  copy();
  cuptiActivityFlushAll(0);
  constexpr int kSpoilt = kCopies / 5;
  if (mode == "refuse39") {
    EXPECT(subscribed == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
    EXPECT(g_seen.size() == kCopies);
  } else if (mode == "refuse999") {
    EXPECT(subscribed == CUPTI_ERROR_UNKNOWN && registered == CUPTI_ERROR_UNKNOWN &&
           enabled == CUPTI_ERROR_UNKNOWN);
    EXPECT(g_seen.empty());
  } else if (mode == "drop:5" || mode == "lose:5") {
    size_t dropped = 0;
    EXPECT(cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped) == CUPTI_SUCCESS);
    EXPECT(dropped == (mode == "drop:5" ? kSpoilt : 0));
    EXPECT(g_seen.size() == kCopies - kSpoilt);
  } else if (mode == "zero") {
    expect_spoilt(kCopies, [](const Seen& r) { return r.start == 0 && r.end == 0; });
  } else if (mode == "swap:5") {
    expect_spoilt(kSpoilt, [](const Seen& r) { return r.end < r.start; });
  } else if (mode == "long:5") {
    expect_spoilt(kSpoilt, [](const Seen& r) { return r.end - r.start >= 3600 * kSecond; });
  } else if (mode == "early:5") {
    expect_spoilt(kSpoilt, [&](const Seen& r) { return r.start < begin; });
  } else if (mode == "reverse") {
    EXPECT(g_buffers == 2);
    expect_order(true);
  } else if (mode == "empty") {
    EXPECT(g_empty > 0);
    expect_order(false);
  } else if (mode == "late") {
    EXPECT(g_seen.empty());
    EXPECT(cuptiUnsubscribe(subscriber) == CUPTI_SUCCESS);
    EXPECT(cuptiSubscribe(&subscriber, callback, nullptr) == CUPTI_SUCCESS);
    cuptiActivityFlushAll(0);
    expect_order(false);
    copy();
    cuptiActivityFlushAll(0);
    EXPECT(g_seen.size() == kCopies);
    cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    EXPECT(g_seen.size() == 2 * kCopies);
  } else {
    EXPECT(false);
  }
  return 0;
}
