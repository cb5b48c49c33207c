// Device times where CUPTI cannot be had: a launch between two CUDA events in its own stream, which
// a thread of the recorder's reads later. Not for each kernel, since two events cost as much as a
// launch; which launches it is for, timed_launch.hpp chooses.
#pragma once

#include <atomic>
#include <cstdint>

namespace mfushim::shim::event_timing {

// Two events around one launch.
struct Pair;

namespace detail {
extern constinit std::atomic<bool> g_on;
}

inline bool is_on() noexcept {
  return detail::g_on.load(std::memory_order_relaxed);
}

// From now on, by a thread that is begun here. The log says so once the first context has events.
void start() noexcept;
// Until start() is called again: CUPTI times all.
void pause() noexcept;
// Waits for nothing that the device still does.
void stop() noexcept;
// In a forked child: all of it is the parent's.
void forget() noexcept;

// Whether it is time for one more matrix product to be timed.
bool is_product_due() noexcept;

// What counts as a launch's time. From when its stream is done with what was before, until it has
// ended: for collectives, which wait then. Or its own time alone: unknown where the stream had
// nothing else to do before the launch was complete, for then the first event comes too early.
enum class Measure : std::uint8_t { kFromStream, kOwnTime };

// Puts the first event into the launch's stream, which must not be capturing, in the calling
// thread's context; null, and the launch is not timed, where there is none to be had.
Pair* begin(std::uint64_t stream, Measure measure) noexcept;
// Puts the second one there, again where it was put before. `config` and `stream_id` are the
// launch's in the log; the result is its correlation, 0 where the pair is of an earlier one.
std::uint32_t end(Pair& pair, std::uint32_t config, std::uint32_t stream_id) noexcept;
// The pair is complete and may be read; or is not wanted.
void submit(Pair& pair) noexcept;
void drop(Pair& pair) noexcept;

// Before a context ends, and its events with it; null: any may.
void context_lost(const void* context) noexcept;

}  // namespace mfushim::shim::event_timing
