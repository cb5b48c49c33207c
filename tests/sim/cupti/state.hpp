// What the CUPTI double knows: which kinds are wanted, and the records not yet handed out.
#pragma once
#include <cupti.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>
#include <set>
#include <string>

#include "mfusim/driver.h"
#include "mfusim/tracing.h"
#include "misbehaviour.hpp"
#include "newest_records.hpp"

namespace mfusim::cupti {

constexpr size_t kMaxRecordBytes = 256;
constexpr size_t kKinds = 64;  // CUpti_ActivityKind values stay below

struct Record {
  uint64_t ready_ns = 0;  // when the work is over
  uint32_t session = 0;   // in which it was made
  uint16_t bytes = 0;
  // Offsets of the start and end fields, for clocks and for records of unfinished work; 0 for none.
  uint16_t start_offset = 0, end_offset = 0;
  alignas(8) std::array<unsigned char, kMaxRecordBytes> data{};
};

// A buffer that the client gave.
struct Buffer {
  uint8_t* data = nullptr;
  size_t room = 0, limit = 0;  // bytes; records, 0 for any number
};

struct State {
  std::mutex mutex;
  std::array<std::atomic<bool>, kKinds> enabled{};
  // Of the first call made since the kind was enabled (0: none yet), and of the last before it was
  // disabled (no bound while it is not). Work of calls between them is recorded, however late it
  // runs.
  std::array<std::atomic<uint32_t>, kKinds> first_correlation{}, last_correlation{};
  std::atomic<uint32_t> newest_correlation{0};
  std::atomic<bool> newly_enabled{false};
  // Calls enabled or disabled one by one, on top of the kinds.
  std::set<uint32_t> driver_only, runtime_only, driver_without, runtime_without;
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  std::deque<Record> records;
  std::deque<Buffer> buffers;  // asked for, and not given back yet
  size_t dropped = 0;
  std::atomic<uint32_t> sessions{0};  // subscriptions so far
  std::atomic<bool> system_thread_ids{false};
};
State& state();

inline bool enabled(CUpti_ActivityKind kind) {
  return state().enabled[size_t(kind)].load(std::memory_order_relaxed);
}

// Whether the kind's records include work of this call.
inline bool covers(CUpti_ActivityKind kind, uint32_t correlation) {
  const uint32_t first = state().first_correlation[size_t(kind)].load();
  return first != 0 && correlation >= first &&
         correlation <= state().last_correlation[size_t(kind)].load();
}

// Hears from the driver from now on; CUPTI_ERROR_NOT_INITIALIZED where there is no simulated
// driver.
CUptiResult attach();
const char* kernel_name(const void* function);
uint64_t id_of(MfusimHandleKind kind, void* handle);

uint64_t now_ns();
CUptiResult stub_hit(const char* function);

// The tracer's events, each in the file that makes something of it.
void record_api(const MfusimApi& api);  // activity_records.cpp
void record_activity(const MfusimActivity& activity);
void record_sync(const MfusimSync& sync);
void call_subscriber(MfusimApi& api, CUpti_ApiCallbackSite site);  // callbacks.cpp

// Hands finished records out, unfinished ones too when forced.
void deliver(bool forced);
// Keeps the record; wakes the delivering thread when there is a buffer full of them.
void keep(const Record& record);
// A record's size in a buffer by its kind, 0 for kinds that the double never makes.
size_t record_bytes(CUpti_ActivityKind kind);

}  // namespace mfusim::cupti
