// When device times are taken: arithmetic on CLOCK_REALTIME nanoseconds, so that the windows of all
// processes of a job coincide.
#pragma once

#include <cstdint>
#include <optional>

namespace mfushim::shim {

inline constexpr std::int64_t kForEver = INT64_MAX;

struct WindowPlan {
  std::int64_t whole = kForEver;  // from the start of recording on, everything this long
  std::int64_t start = 0;         // after the start of recording, no window before
  std::int64_t length = 0;        // of a window; kForEver: it has no end
  std::int64_t period = 0;        // windows begin at its multiples; 0: there is one, at `start`
};

struct Window {
  std::int64_t begin = 0;
  std::int64_t end = 0;  // kForEver: none
};

// The window that `now` lies in, or the next one; none: there will be no other.
std::optional<Window> next_window(const WindowPlan& plan, std::int64_t recording_began,
                                  std::int64_t now) noexcept;

// The period that keeps windows which lose this share of the job within the budget, half a percent
// of it: the plan's own times a power of two, so that windows of processes that decide differently
// still coincide.
std::int64_t affordable_period(const WindowPlan& plan, double loss) noexcept;

// START:LENGTH[:PERIOD] in seconds, as in 60:5:300 or 0:0.5; none when it is something else.
std::optional<WindowPlan> parse_windows(const char* text) noexcept;

}  // namespace mfushim::shim
