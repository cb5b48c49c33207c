// Numbers as text.
#include "report/text_format.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace mfushim::report {

std::string duration(std::int64_t ns) {
  const auto value = static_cast<double>(ns);
  if (std::abs(value) >= 1e9) return fmt::format("{:.3f} s", value / 1e9);
  if (std::abs(value) >= 1e6) return fmt::format("{:.3f} ms", value / 1e6);
  if (std::abs(value) >= 1e3) return fmt::format("{:.3f} us", value / 1e3);
  return fmt::format("{} ns", ns);
}

std::string count(std::uint64_t n) {
  std::string text = std::to_string(n);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string si(double value, std::string_view unit) {
  constexpr std::array<std::string_view, 7> kPrefixes = {"", "k", "M", "G", "T", "P", "E"};
  std::size_t prefix = 0;
  // One decimal is shown: 999.96 would read 1000.0.
  while (value >= 999.95 && prefix + 1 < kPrefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  return fmt::format("{:.1f} {}{}", value, kPrefixes[prefix], unit);
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", share * 100);
}

std::string bar(double share) {
  constexpr double kCells = 30;
  const auto cells = static_cast<int>(std::lround(std::min(std::max(share, 0.0), 1.0) * kCells));
  std::string text;
  for (int i = 0; i < cells; ++i) text += "\u2588";
  return text +
         std::string(static_cast<std::size_t>(kCells) - static_cast<std::size_t>(cells), ' ');
}

std::string shortened(std::string_view text, std::size_t width) {
  if (text.size() <= width) return std::string(text);
  const std::size_t head = (width - 3) * 2 / 3;
  const std::size_t tail = width - 3 - head;
  return std::string(text.substr(0, head)) + "..." + std::string(text.substr(text.size() - tail));
}

std::string parameters(double n) {
  return n < 1e9 ? fmt::format("{:.1f} million parameters", n / 1e6)
                 : fmt::format("{:.2f} billion parameters", n / 1e9);
}

std::string plural(std::uint64_t n, std::string_view noun) {
  return fmt::format("{} {}{}", count(n), noun, n == 1 ? "" : "s");
}

}  // namespace mfushim::report
