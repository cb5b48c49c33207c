// What hooks may ask of the recording engine. Everything here is safe in any thread at any time,
// allocates nothing, never blocks on I/O, never throws, and keeps errno; `start` alone opens files.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <new>
#include <string_view>
#include <type_traits>

#include "clock.hpp"
#include "mfushim/format/api.hpp"
#include "mfushim/format/ring.hpp"

// Thread-locals are reached by one instruction: the library is preloaded, never opened late.
#define MFUSHIM_THREAD_LOCAL constinit thread_local __attribute__((tls_model("initial-exec")))

namespace mfushim::shim {

// State of the calling thread. `sequence` counts recorded calls at their entry.
struct ThreadState {
  std::uint64_t sequence = 0;
  std::uint32_t correlation = 0;  // of the launch in progress, as CUPTI's callback told; 0: none
};

namespace detail {

struct Cursor {
  format::RingSlot* next = nullptr;
  format::RingSlot* end = nullptr;
  format::RingChunk* chunk = nullptr;
  std::uint32_t lane = 0;                      // the thread's id in the log
  format::RingCoverageShare* calls = nullptr;  // its own counters, if it has some
};

extern constinit std::atomic<bool> g_recording;
extern constinit std::atomic<std::uint32_t> g_generation;
extern MFUSHIM_THREAD_LOCAL ThreadState t_state;
extern MFUSHIM_THREAD_LOCAL Cursor t_cursor;
extern constinit std::array<std::atomic<std::uint32_t>, format::kApis.size()> g_api_names;

std::uint32_t new_api_name(format::Api api) noexcept;
// Counts in the share of threads without one of their own.
void covered_by_others(std::uint32_t source) noexcept;

// Claims another chunk for the calling thread; false, and one more record lost, when none is free.
bool claim_chunk(Cursor& cursor) noexcept;

// Inlined, and copied as an object, so that a record is built in its slot: built elsewhere and
// copied in wide words, it would wait for its own narrow stores.
template <class Record>
[[gnu::always_inline]] inline void append(std::uint32_t lane, const Record& record) noexcept {
  static_assert(sizeof(Record) <= sizeof(format::RingSlot::record) &&
                std::is_trivially_copyable_v<Record>);
  Cursor& cursor = t_cursor;
  if (cursor.next == cursor.end && !claim_chunk(cursor)) return;
  format::RingSlot* const slot = cursor.next++;
  __builtin_prefetch(slot + 4, 1);  // the writer had these lines last
  slot->kind = Record::kKind;
  slot->lane = lane;
  ::new (static_cast<void*>(slot->record.data())) Record(record);
  cursor.chunk->count.store(static_cast<std::uint32_t>(cursor.next - cursor.chunk->slots.data()),
                            std::memory_order_release);
}

}  // namespace detail

// False until the process first does device work, when disabled, in a forked child until its own
// first work, and after the end of the process began: hooks then only call through.
inline bool recording() noexcept {
  return detail::g_recording.load(std::memory_order_acquire);
}

// Called before the first launch, copy or collective of the process: makes ring file, log and
// writer thread. Idempotent and cheap when already started; after it recording() is true unless
// disabled or failed. `arm` is called on the first cuInit (registers the exit handler, starts
// nothing).
void start() noexcept;
void arm() noexcept;

// Ids that a hook keeps are good for one generation; a forked child begins another.
inline std::uint32_t generation() noexcept {
  return detail::g_generation.load(std::memory_order_relaxed);
}

// Host clock, in ticks of the log.
inline std::uint64_t now() noexcept {
  return clock_now();
}

inline ThreadState& thread_state() noexcept {
  return detail::t_state;
}

// Appends to the calling thread's ring; when there is no room the record is dropped and counted.
template <class Record>
[[gnu::always_inline]] inline void emit(const Record& record) noexcept {
  static_assert(Record::kKind >= format::Kind::kLaunch && Record::kKind < format::Kind::kGpuKernel);
  detail::append(0, record);
}
// Appends a device record to the ring of the calling (CUPTI's) thread.
template <class Record>
void emit_device(std::uint32_t queue, const Record& record) noexcept {
  static_assert(Record::kKind >= format::Kind::kGpuKernel &&
                Record::kKind < format::Kind::kGpuTime);
  detail::append(queue, record);
}

// Ids of definitions; equal arguments give equal ids. 0 when there is no room left (counted).
// The `id` member of the argument is ignored.
std::uint32_t intern(std::string_view name) noexcept;
std::uint32_t intern(format::LaunchConfig config) noexcept;
std::uint32_t intern(format::GemmShape shape) noexcept;
std::uint32_t intern(format::CollectiveShape shape) noexcept;
std::uint32_t intern(format::OperationShape shape) noexcept;
std::uint32_t intern(format::Stream stream) noexcept;
std::uint32_t intern(format::Queue queue) noexcept;
std::uint32_t intern(format::Communicator communicator) noexcept;
// The name id of an intercepted entry point (one atomic load after its first use).
inline std::uint32_t api_name(format::Api api) noexcept {
  const std::uint32_t known =
      detail::g_api_names[static_cast<std::size_t>(api)].load(std::memory_order_relaxed);
  return known != 0 ? known : detail::new_api_name(api);
}

// Rare things, kept until they are in the log.
void fact(std::string_view key, std::string_view value) noexcept;
void device(const format::Device& device) noexcept;
void module(const format::Module& module) noexcept;
void gpu_time(const format::GpuTime& gpu_time) noexcept;
// Counted by cause and detail; `detail` is cut after 90 bytes.
void loss(format::LossCause cause, std::uint64_t count, std::string_view detail) noexcept;
// One more call from this source (sources.hpp).
inline void covered(std::uint32_t source) noexcept {
  format::RingCoverageShare* const calls = detail::t_cursor.calls;
  if (calls == nullptr) return detail::covered_by_others(source);
  auto& count = (*calls)[source];
  count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace mfushim::shim
