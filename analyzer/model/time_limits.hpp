// Which stamps are taken for times at all, so that sums and differences of them cannot overflow,
// whatever a log claims.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace mfushim::model {

// Nanoseconds since 1970 or since a device's own beginning: until 2039. Four of them fit 64 bits.
inline constexpr std::int64_t kLatestNs = 2'200'000'000'000'000'000;

template <class Integer>
std::int64_t within_limits(Integer ns) {
  return static_cast<std::int64_t>(std::clamp<__int128>(ns, -kLatestNs, kLatestNs));
}

// Durations of many records may add up to more than 64 bits hold only where the log lies: the sum
// stays at the limit then.
inline void add_duration(std::int64_t& sum, std::int64_t duration) {
  if (__builtin_add_overflow(sum, duration, &sum)) sum = std::numeric_limits<std::int64_t>::max();
}

}  // namespace mfushim::model
