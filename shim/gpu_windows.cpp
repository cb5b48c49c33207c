// The arithmetic of windows; see gpu_windows.hpp.
#include "gpu_windows.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace mfushim::shim {

namespace {

constexpr double kSecond = 1e9;
constexpr double kLongest = 1e8 * kSecond;  // three years, far from overflow

struct Amount {
  std::int64_t value = 0;  // nanoseconds or steps
  bool in_steps = false;
};

// What is at `text`, which then is behind it; none where there is no such amount.
std::optional<Amount> read_amount(const char*& text) noexcept {
  constexpr std::string_view kSteps = "steps";
  char* end = nullptr;
  const double number = std::strtod(text, &end);
  const bool in_steps = end != text && std::string_view(end).starts_with(kSteps);
  const double value = in_steps ? number : number * kSecond;
  if (end == text || !(value >= 0 && value <= kLongest)) return std::nullopt;
  const auto whole = static_cast<std::int64_t>(value);
  if (in_steps && static_cast<double>(whole) != value) return std::nullopt;
  text = in_steps ? end + kSteps.size() : end;
  return Amount{whole, in_steps};
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
  const auto start = read_amount(text);
  if (!start || *text++ != ':') return std::nullopt;
  const auto length = read_amount(text);
  // A start of nothing is one in any unit.
  if (!length || length->value == 0 || (start->in_steps != length->in_steps && start->value != 0))
    return std::nullopt;
  plan.in_steps = length->in_steps;
  plan.start = start->value;
  plan.length = length->value;
  if (*text == '\0') return plan;
  if (*text++ != ':') return std::nullopt;
  const auto period = read_amount(text);
  if (!period || period->value < length->value || period->in_steps != length->in_steps ||
      *text != '\0')
    return std::nullopt;
  plan.period = period->value;
  if (plan.period == plan.length) {
    // One window without an end, whose edges would be gaps.
    plan.in_steps = plan.in_steps && plan.start != 0;
    plan.length = kForEver;
    plan.period = 0;
  }
  return plan;
}

bool are_steps_told(std::int64_t ns_since_step) noexcept {
  constexpr std::int64_t kPatience = 300'000'000'000;
  return ns_since_step < kPatience;
}

void move(Window& window, std::int64_t by) noexcept {
  if (window.begin != kForEver) window.begin += by;
  if (window.end != kForEver) window.end += by;
}

std::int64_t grace_after(std::uint32_t times) noexcept {
  constexpr std::int64_t kShortest = 1'000'000'000;
  constexpr std::uint32_t kTimes = 64;  // until it is twice as long
  constexpr std::uint32_t kDoublings = 10;
  return kShortest << std::min(times / kTimes, kDoublings);
}

}  // namespace mfushim::shim
