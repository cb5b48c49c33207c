// Places each decimal digit relative to the nanosecond, so that nothing is ever rounded.
#include "read/decimal_time.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace mfushim::read {

namespace {

constexpr int kPlacesBelow = 18;
constexpr std::uint64_t kBelowOne = 1'000'000'000'000'000'000;  // 10^kPlacesBelow
constexpr int kMicrosecondPlaces = 3;
constexpr std::uint64_t kLimit = std::uint64_t{1} << 63;

// Multiplies by ten and adds; false when that leaves the range.
bool push(std::uint64_t& value, unsigned digit) {
  if (value > (kLimit - 1 - digit) / 10) return false;
  value = value * 10 + digit;
  return true;
}

struct Digits {
  std::string_view whole, fraction;
  int exponent = 0;
};

std::optional<Digits> split(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  Digits d;
  const auto take = [&] {
    const std::size_t n = std::min(text.find_first_not_of(kDigits), text.size());
    const auto taken = text.substr(0, n);
    text.remove_prefix(n);
    return taken;
  };
  d.whole = take();
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    d.fraction = take();
  }
  if (d.whole.empty() && d.fraction.empty()) return std::nullopt;
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), d.exponent);
    if (error != std::errc{} || std::abs(d.exponent) > 100'000) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  if (!text.empty()) return std::nullopt;
  return d;
}

}  // namespace

std::optional<DecimalTime> parse_microseconds(std::string_view text) {
  DecimalTime time;
  if (text.starts_with('-')) {
    time.negative = true;
    text.remove_prefix(1);
  }
  const auto digits = split(text);
  if (!digits) return std::nullopt;
  // Powers of ten of the next digit, in ns.
  long place = static_cast<long>(digits->whole.size()) + digits->exponent + kMicrosecondPlaces - 1;
  bool fits = true;
  for (const std::string_view part : {digits->whole, digits->fraction})
    for (const char c : part) {
      const auto digit = static_cast<unsigned>(c - '0');
      if (place >= 0)
        fits = fits && push(time.ns, digit);
      else if (place >= -kPlacesBelow)
        push(time.below, digit);
      --place;
    }
  for (; place >= 0 && fits && time.ns != 0; --place) fits = push(time.ns, 0);
  // Digits that start below the first place have leading zeros there, which `place` accounts for.
  for (long p = std::min(place, -1L); p >= -kPlacesBelow && time.below != 0; --p)
    push(time.below, 0);
  if (!fits) return std::nullopt;
  if (time.ns == 0 && time.below == 0) time.negative = false;
  return time;
}

std::uint64_t sum_ns(const DecimalTime& a, const DecimalTime& b) {
  return a.ns + b.ns + (a.below + b.below >= kBelowOne ? 1 : 0);
}

}  // namespace mfushim::read
