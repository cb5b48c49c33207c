// Host time: ticks of the time-stamp counter where the kernel itself trusts it, else of
// CLOCK_MONOTONIC in nanoseconds, tied to the system's clocks by anchors.
#pragma once

#include <cstdint>

#include "arch/ticks.hpp"
#include "mfushim/format/records.hpp"

namespace mfushim::shim {

namespace detail {
extern constinit bool g_ticks_are_tsc;  // decided once, before the first stamp
std::uint64_t monotonic_ns() noexcept;
}  // namespace detail

inline std::uint64_t clock_now() noexcept {
  return detail::g_ticks_are_tsc ? arch_ticks() : detail::monotonic_ns();
}

// Chooses the clock and measures its rate against CLOCK_MONOTONIC since the library was loaded;
// waits for what is missing of kMinCalibration when that was just now.
struct ClockRate {
  std::uint64_t ticks_per_second;
  const char* source;  // "tsc" or "monotonic"
};
inline constexpr std::uint64_t kMinCalibrationNs = 10'000'000;
ClockRate choose_clock() noexcept;

// All clocks of one instant: the best of a few tries.
format::ClockAnchor read_anchor() noexcept;

std::uint64_t realtime_ns() noexcept;

}  // namespace mfushim::shim
