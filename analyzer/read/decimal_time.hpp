// Times written as decimal microseconds, exactly: a double loses nanoseconds beyond 2^53 of them,
// which is 104 days, and traces count from 1970.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace mfushim::read {

// A time in nanoseconds with what lies below one.
struct DecimalTime {
  bool negative = false;
  std::uint64_t ns = 0;     // magnitude, below 2^63
  std::uint64_t below = 0;  // in 1e-18 ns, below 1e18; further digits are dropped
};

// `text` is a JSON number, or the content of a string that holds one, in microseconds. Empty when
// it is neither or when it is 2^63 ns or more.
std::optional<DecimalTime> parse_microseconds(std::string_view text);

// Whole nanoseconds of the exact sum of two times that are not negative.
std::uint64_t sum_ns(const DecimalTime& a, const DecimalTime& b);

}  // namespace mfushim::read
