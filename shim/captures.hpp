// Captures in progress: which of them a stream's work goes into. Work is recorded with the number
// of its capture, and the graph that the capture becomes contains that number (graphs.hpp).
#pragma once

#include <atomic>
#include <cstdint>

namespace mfushim::shim {

namespace detail {
extern constinit std::atomic<int> g_captures;
}

// Too often costs a question to the driver per launch, no more.
inline bool is_any_capturing() noexcept {
  return detail::g_captures.load(std::memory_order_relaxed) > 0;
}

// The number of the capture that the stream is in, by whatever event it joined; 0: in none.
std::uint32_t capture_of(std::uint64_t stream) noexcept;

// For after the calls that begin a capture in `stream`, and end it; this gives the number of what
// was captured, kUnknownGraph when it has none.
void capture_began(const void* stream) noexcept;
// The graph that is being made of the stream's capture; null where nobody tells.
const void* captured_graph(const void* stream) noexcept;
std::uint32_t capture_ended(const void* stream) noexcept;
// For before a stream, or all of them, are destroyed: they must not be asked about then.
void capture_lost(const void* stream) noexcept;
void captures_lost() noexcept;

}  // namespace mfushim::shim
