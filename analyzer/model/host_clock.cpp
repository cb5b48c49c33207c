// Straight lines between clock anchors, in integers.
#include "model/host_clock.hpp"

#include <algorithm>
#include <utility>

#include "model/time_limits.hpp"

namespace mfushim::model {

namespace {

// value * numerator / denominator, rounded down.
__int128 scale(std::int64_t value, std::uint64_t numerator, std::uint64_t denominator) {
  const __int128 product = static_cast<__int128>(value) * static_cast<__int128>(numerator);
  __int128 quotient = product / static_cast<__int128>(denominator);
  if (product < 0 && quotient * static_cast<__int128>(denominator) != product) --quotient;
  return quotient;
}

std::int64_t difference(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::int64_t>(a - b);
}

}  // namespace

HostClock::HostClock(std::uint64_t ticks_per_second, std::vector<format::ClockAnchor> anchors)
    : ticks_per_second_(ticks_per_second), anchors_(std::move(anchors)) {
  std::sort(anchors_.begin(), anchors_.end(),
            [](const auto& a, const auto& b) { return a.ticks < b.ticks; });
  const auto last = std::unique(anchors_.begin(), anchors_.end(),
                                [](const auto& a, const auto& b) { return a.ticks == b.ticks; });
  anchors_.erase(last, anchors_.end());
}

std::int64_t HostClock::to_ns(std::uint64_t ticks) const {
  if (anchors_.empty()) return length_ns(ticks);
  if (anchors_.size() == 1)
    return within_limits(anchors_[0].realtime_ns + scale(difference(ticks, anchors_[0].ticks),
                                                         1'000'000'000, ticks_per_second_));
  // Before the first anchor and after the last, the nearest line goes on.
  auto after = std::upper_bound(anchors_.begin() + 1, anchors_.end() - 1, ticks,
                                [](std::uint64_t t, const auto& a) { return t < a.ticks; });
  const auto& to = *after;
  const auto& from = *(after - 1);
  return within_limits(from.realtime_ns + scale(difference(ticks, from.ticks),
                                                to.realtime_ns - from.realtime_ns,
                                                to.ticks - from.ticks));
}

std::int64_t HostClock::length_ns(std::uint64_t ticks) const {
  return within_limits(scale(static_cast<std::int64_t>(ticks), 1'000'000'000, ticks_per_second_));
}

std::uint32_t HostClock::error_ns() const {
  std::uint32_t error = 0;
  for (const auto& anchor : anchors_) error = std::max(error, anchor.error_ns);
  return error;
}

std::optional<std::int64_t> HostClock::end_ns() const {
  if (anchors_.size() < 2) return std::nullopt;
  return within_limits(anchors_.back().realtime_ns);
}

}  // namespace mfushim::model
