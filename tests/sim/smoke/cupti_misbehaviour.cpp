// What MFUSIM_CUPTI makes the CUPTI double do; run once for each of its values.
#include <cuda_runtime_api.h>
#include <cupti.h>

#include <cstring>

#include "expect.hpp"
#include "newest_records.hpp"

namespace {

constexpr int kCopies = 10;
int g_records = 0, g_zero = 0;

void request(uint8_t** buffer, size_t* bytes, size_t* records) {
  *bytes = 65536;
  *buffer = static_cast<uint8_t*>(aligned_alloc(8, *bytes));
  *records = 0;
}
void complete(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    ++g_records;
    const auto& copy = *reinterpret_cast<const mfusim::cupti::CopyRecord*>(record);
    g_zero += copy.start == 0 && copy.end == 0;
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

}  // namespace

int main() {
  const char* mode = getenv("MFUSIM_CUPTI");
  EXPECT(mode);
  CUpti_SubscriberHandle subscriber;
  const CUptiResult subscribed = cuptiSubscribe(&subscriber, callback, nullptr);
  const CUptiResult registered = cuptiActivityRegisterCallbacks(request, complete);
  const CUptiResult enabled = cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY);
  copy();
  cuptiActivityFlushAll(0);
  if (strcmp(mode, "refuse39") == 0) {
    EXPECT(subscribed == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
    EXPECT(g_records == kCopies);
  } else if (strcmp(mode, "refuse999") == 0) {
    EXPECT(subscribed == CUPTI_ERROR_UNKNOWN && registered == CUPTI_ERROR_UNKNOWN &&
           enabled == CUPTI_ERROR_UNKNOWN);
    EXPECT(g_records == 0);
  } else if (strcmp(mode, "drop:5") == 0) {
    size_t dropped = 0;
    EXPECT(cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped) == CUPTI_SUCCESS);
    EXPECT(dropped == kCopies / 5 && g_records == kCopies - kCopies / 5);
  } else {
    EXPECT(strcmp(mode, "zero") == 0);
    EXPECT(g_records == kCopies && g_zero == kCopies);
  }
  return 0;
}
