// When device times are taken: arithmetic on CLOCK_REALTIME nanoseconds, or on steps of the job, so
// that the windows of all its processes coincide.
#pragma once

#include <cstdint>
#include <optional>

namespace mfushim::shim {

inline constexpr std::int64_t kForEver = INT64_MAX;

struct WindowPlan {
  bool in_steps = false;          // all of it counts steps, and recording starts at 0
  std::int64_t whole = kForEver;  // from the start of recording on, everything this long
  std::int64_t start = 0;         // after the start of recording, no window before
  std::int64_t length = 0;        // of a window; kForEver: it has no end
  std::int64_t period = 0;        // windows begin at its multiples; 0: there is one, at `start`
};

// Without other wishes, a job is timed for five minutes, which is all of a short one, and then ten
// seconds in ten minutes: CUPTI slows jobs by up to 30 % (a few published cases are worse), and a
// sixtieth of that is half a percent.
inline constexpr WindowPlan kUsualWindows = {
    .whole = 300'000'000'000, .length = 10'000'000'000, .period = 600'000'000'000};

// Windows in steps might never end, or never begin, while nothing tells of steps: after five
// minutes without any they are the usual ones, until steps are told again.
bool are_steps_told(std::int64_t ns_since_step) noexcept;

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

// START:LENGTH[:PERIOD] in seconds, as in 60:5:300 or 0:0.5, or in steps, as in
// 100steps:5steps:1000steps; none when it is something else.
std::optional<WindowPlan> parse_windows(const char* text) noexcept;

// Moves what is set for a time on a clock that was set to another, by the difference.
void move(Window& window, std::int64_t by) noexcept;

// How long to leave CUPTI alone after the program had it so many times: a profiler with a schedule
// lets go and takes again, step by step. One that does so for days has it to itself in the end,
// with no more than some hundred changes in the log.
std::int64_t grace_after(std::uint32_t times) noexcept;

}  // namespace mfushim::shim
