// Buffers: finished records go to the client when it flushes, or from a thread when there are many.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <thread>
#include <vector>

#include "state.hpp"

namespace mfusim::cupti {
namespace {

// So many records wake the delivering thread: about what fills a client's buffer of a few MB.
constexpr size_t kWakeAt = 16'384;

std::condition_variable& wake() {
  static auto* condition = new std::condition_variable;
  return *condition;
}
std::atomic<uint32_t> g_period_ms{0};
bool g_thread = false;  // under the state's mutex

// A client's own clock: two readings of both make the line on which its times lie.
struct Clock {
  std::mutex mutex;
  CUpti_TimestampCallbackFunc read = nullptr;
  uint64_t real = 0, own = 0;
};
Clock& client_clock() {
  static Clock* c = new Clock;
  return *c;
}

class Converter {
 public:
  Converter() {
    Clock& c = client_clock();
    std::lock_guard lock(c.mutex);
    if (!c.read) return;
    active_ = true;
    real_ = now_ns();
    own_ = c.read();
    rate_ = real_ > c.real ? double(own_ - c.own) / double(real_ - c.real) : 1.0;
  }
  void apply(Record& record) const {
    if (!active_ || record.end_offset == 0) return;
    for (const uint16_t offset : {record.start_offset, record.end_offset}) {
      uint64_t time;
      memcpy(&time, record.data.data() + offset, sizeof time);
      if (time == 0) continue;
      time = own_ - uint64_t(int64_t(double(int64_t(real_ - time)) * rate_));
      memcpy(record.data.data() + offset, &time, sizeof time);
    }
  }

 private:
  bool active_ = false;
  uint64_t real_ = 0, own_ = 0;
  double rate_ = 1.0;
};

// Whether the client does not get it yet, though it is complete.
bool is_held_back(const Record& record) {
  return misbehaviour().delivery == Delivery::kLate && record.session == state().sessions.load();
}

std::deque<Record> take(bool forced) {
  State& s = state();
  std::lock_guard lock(s.mutex);
  const uint64_t now = now_ns();
  std::deque<Record> ready, later;
  for (Record& record : s.records) {
    const bool running = record.ready_ns > now;
    if (!running && (forced || !is_held_back(record))) {
      ready.push_back(record);
    } else if (running && forced) {
      memset(record.data.data() + record.end_offset, 0, sizeof(uint64_t));  // still running: no end
      ready.push_back(record);
    } else {
      later.push_back(record);
    }
  }
  s.records.swap(later);
  return ready;
}

// Asks the client for a buffer. As the vendor's library does it at the first record, long before
// the buffer goes back: clients see from that whether there is anything to flush. Without the
// mutex.
void ask_for_buffer(CUpti_BuffersCallbackRequestFunc request) {
  Buffer buffer;
  request(&buffer.data, &buffer.room, &buffer.limit);
  if (!buffer.data) return;
  std::lock_guard lock(state().mutex);
  state().buffers.push_back(buffer);
}

// What is kept lies in a buffer of the client's: it sees that there is something to flush.
template <class Lock>
void hold_buffer(Lock& lock) {
  State& s = state();
  if (!s.buffers.empty() || !s.request) return;
  const auto request = s.request;
  lock.unlock();
  ask_for_buffer(request);
  lock.lock();
}

Buffer take_buffer(CUpti_BuffersCallbackRequestFunc request) {
  State& s = state();
  for (int attempt = 0; attempt < 2; ++attempt) {
    {
      std::lock_guard lock(s.mutex);
      if (!s.buffers.empty()) {
        const Buffer buffer = s.buffers.front();
        s.buffers.pop_front();
        return buffer;
      }
    }
    ask_for_buffer(request);
  }
  return {};
}

// A buffer with records in it; no data where the client gave none.
struct Filled {
  Buffer buffer;
  size_t used = 0;
};

// Fills one of the client's buffers from the front of the records.
Filled fill_buffer(std::deque<Record>& records, CUpti_BuffersCallbackRequestFunc request) {
  constexpr size_t kFewRecords = 8;
  Filled filled{take_buffer(request)};
  const auto [data, room, limit] = filled.buffer;
  if (!data) return filled;
  const size_t most = misbehaviour().delivery == Delivery::kReverse ? kFewRecords
                      : limit != 0                                  ? limit
                                                                    : records.size();
  for (size_t count = 0;
       !records.empty() && filled.used + records.front().bytes <= room && count < most; ++count) {
    memcpy(data + filled.used, records.front().data.data(), records.front().bytes);
    filled.used += records.front().bytes;
    records.pop_front();
  }
  return filled;
}

// Hands all records over, or as many as the client has buffers for.
void hand_over(std::deque<Record>& records, CUpti_BuffersCallbackRequestFunc request,
               CUpti_BuffersCallbackCompleteFunc complete) {
  const Delivery delivery = misbehaviour().delivery;
  const size_t together = delivery == Delivery::kReverse ? 4 : 1;
  bool more = true;
  while (more && !records.empty()) {
    if (delivery == Delivery::kEmpty) {
      const Buffer empty = take_buffer(request);
      if (empty.data) complete(nullptr, 0, empty.data, empty.room, 0);
    }
    std::vector<Filled> filled;
    while (more && !records.empty() && filled.size() < together) {
      const Filled next = fill_buffer(records, request);
      more = next.used > 0;
      if (next.buffer.data) filled.push_back(next);
    }
    for (auto f = filled.rbegin(); f != filled.rend(); ++f)
      complete(nullptr, 0, f->buffer.data, f->buffer.room, f->used);
  }
}

void run() {
  State& s = state();
  std::unique_lock lock(s.mutex);
  for (;;) {
    const uint32_t period = g_period_ms.load();
    const auto pause = std::chrono::milliseconds(period ? period : 1000);
    wake().wait_until(lock, std::chrono::system_clock::now() + pause,
                      [&] { return s.records.size() >= kWakeAt; });
    if (s.records.size() < kWakeAt && period == 0) continue;
    lock.unlock();
    deliver(false);
    lock.lock();
    // What is left is not finished yet; without a pause this thread would spin on it.
    if (s.records.size() >= kWakeAt) {
      lock.unlock();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      lock.lock();
    }
  }
}

void record_overhead(uint64_t start, uint64_t end) {
  if (!enabled(CUPTI_ACTIVITY_KIND_OVERHEAD)) return;
  OverheadRecord r{};
  r.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  r.overheadKind = CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH;
  r.objectKind = CUPTI_ACTIVITY_OBJECT_PROCESS;
  r.start = start;
  r.end = end;
  Record record;
  record.bytes = sizeof r;
  record.start_offset = offsetof(OverheadRecord, start);
  record.end_offset = offsetof(OverheadRecord, end);
  memcpy(record.data.data(), &r, sizeof r);
  keep(record);
}

}  // namespace

void keep(const Record& record) {
  State& s = state();
  std::unique_lock lock(s.mutex);
  hold_buffer(lock);
  s.records.push_back(record);
  s.records.back().session = s.sessions.load();
  if (s.records.size() < kWakeAt && g_period_ms.load() == 0) return;
  if (!g_thread) {
    g_thread = true;
    std::thread(run).detach();
  }
  if (s.records.size() == kWakeAt) wake().notify_one();
}

void deliver(bool forced) {
  State& s = state();
  CUpti_BuffersCallbackRequestFunc request;
  CUpti_BuffersCallbackCompleteFunc complete;
  {
    std::lock_guard lock(s.mutex);
    request = s.request;
    complete = s.complete;
  }
  if (!request || !complete) return;
  const uint64_t start = now_ns();
  std::deque<Record> records = take(forced);
  const bool any = !records.empty();
  const Converter converter;
  for (Record& record : records) converter.apply(record);
  hand_over(records, request, complete);
  {
    std::unique_lock lock(s.mutex);
    s.dropped += records.size();
    if (!s.records.empty()) hold_buffer(lock);  // of work that still runs
  }
  if (any) record_overhead(start, now_ns());
}

}  // namespace mfusim::cupti

using namespace mfusim::cupti;

extern "C" CUptiResult cuptiActivityFlushPeriod(uint32_t milliseconds) {
  g_period_ms.store(milliseconds);
  return CUPTI_SUCCESS;
}

extern "C" CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc read) {
  Clock& c = client_clock();
  std::lock_guard lock(c.mutex);
  c.read = read;
  c.real = now_ns();
  c.own = read ? read() : 0;
  return CUPTI_SUCCESS;
}

extern "C" CUptiResult cuptiGetTimestamp(uint64_t* out) {
  if (!out) return CUPTI_ERROR_INVALID_PARAMETER;
  Clock& c = client_clock();
  std::lock_guard lock(c.mutex);
  *out = c.read ? c.read() : now_ns();
  return CUPTI_SUCCESS;
}
