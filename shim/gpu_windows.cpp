// The arithmetic of windows; see gpu_windows.hpp.
#include "gpu_windows.hpp"

#include <algorithm>
#include <cstdlib>

namespace mfushim::shim {

namespace {

constexpr double kSecond = 1e9;
constexpr double kLongest = 1e8 * kSecond;  // three years, far from overflow

// The seconds at `text` as nanoseconds, and what follows them; none where there is no such number.
std::optional<std::int64_t> read_seconds(const char*& text) noexcept {
  char* end = nullptr;
  const double ns = std::strtod(text, &end) * kSecond;
  if (end == text || !(ns >= 0 && ns <= kLongest)) return std::nullopt;
  text = end;
  return static_cast<std::int64_t>(ns);
}

}  // namespace

std::optional<Window> next_window(const WindowPlan& plan, std::int64_t recording_began,
                                  std::int64_t now) noexcept {
  if (plan.whole == kForEver) return Window{recording_began, kForEver};
  if (now < recording_began + plan.whole)
    return Window{recording_began, recording_began + plan.whole};
  const std::int64_t first = recording_began + plan.start;
  if (plan.period == 0) {
    const std::int64_t end = plan.length == kForEver ? kForEver : first + plan.length;
    if (plan.length == 0 || now >= end) return std::nullopt;
    return Window{first, end};
  }
  // The process may have come in the middle of a window that others have whole.
  std::int64_t begin = std::max(now, first) / plan.period * plan.period;
  if (std::max(now, first) >= begin + plan.length) begin += plan.period;
  return Window{std::max(begin, first), begin + plan.length};
}

std::int64_t affordable_period(const WindowPlan& plan, double loss) noexcept {
  constexpr double kBudget = 0.005;
  std::int64_t period = plan.period;
  while (loss * static_cast<double>(plan.length) > kBudget * static_cast<double>(period) &&
         static_cast<double>(period) < kLongest)
    period *= 2;
  return period;
}

std::optional<WindowPlan> parse_windows(const char* text) noexcept {
  WindowPlan plan{.whole = 0};
  const auto start = read_seconds(text);
  if (!start || *text++ != ':') return std::nullopt;
  const auto length = read_seconds(text);
  if (!length || *length == 0) return std::nullopt;
  plan.start = *start;
  plan.length = *length;
  if (*text == '\0') return plan;
  if (*text++ != ':') return std::nullopt;
  const auto period = read_seconds(text);
  if (!period || *period < *length || *text != '\0') return std::nullopt;
  plan.period = *period;
  if (plan.period == plan.length) {
    // One window without an end, whose edges would be gaps.
    plan.length = kForEver;
    plan.period = 0;
  }
  return plan;
}

}  // namespace mfushim::shim
