// Rates of launches, and a bound of their median that no distribution needs to be known for.
#include "window_cost.hpp"

#include <algorithm>

#include "mfushim/median_bound.hpp"

namespace mfushim::shim {

namespace {

constexpr std::uint64_t kFewLaunches = 32;  // their rate says nothing

// Launches per nanosecond; 0: not known.
double rate_between(const WindowCost::Reading& from, const WindowCost::Reading& to) noexcept {
  const std::uint64_t launches = to.launches - from.launches;
  if (launches < kFewLaunches || to.ns <= from.ns) return 0;
  return static_cast<double>(launches) / static_cast<double>(to.ns - from.ns);
}

}  // namespace

void WindowCost::opened(Reading now) noexcept {
  pause_rate_ = phase_ == Phase::kPause ? rate_between(since_, now) : 0;
  phase_ = Phase::kWindow;
  since_ = now;
}

void WindowCost::closed(Reading now) noexcept {
  if (phase_ == Phase::kWindow && pause_rate_ > 0 && now.ns > since_.ns) {
    const double rate = static_cast<double>(now.launches - since_.launches) /
                        static_cast<double>(now.ns - since_.ns);
    losses_[count_++ % losses_.size()] = 1 - rate / pause_rate_;
  }
  phase_ = Phase::kPause;
  since_ = now;
}

void WindowCost::disturbed() noexcept {
  phase_ = Phase::kUnknown;
}

double WindowCost::least_loss() const noexcept {
  const std::size_t known = std::min(count_, losses_.size());
  const int bound = median_bound(static_cast<int>(known));
  if (bound == 0) return 0;
  auto sorted = losses_;
  std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(known));
  return std::max(0.0, sorted[static_cast<std::size_t>(bound) - 1]);
}

}  // namespace mfushim::shim
