// How the text report writes numbers, so that they line up and read the same everywhere.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace mfushim::report {

std::string duration(std::int64_t ns);                            // 4.994 s, 12.3 ms, 6.4 us, 17 ns
std::string count(std::uint64_t n);                               // 1,180
std::string si(double value, std::string_view unit);              // 989.4 TFLOP/s
std::string percent(double share);                                // 32.0 %
std::string bar(double share);                                    // of 30 cells at most
std::string shortened(std::string_view text, std::size_t width);  // with "..." in its middle
std::string parameters(double n);                                 // 7.5 billion parameters
// "1 rank", "2 ranks".
std::string plural(std::uint64_t n, std::string_view noun);

// Appends formatted text.
template <class... Args>
void print(std::string& out, fmt::format_string<Args...> text, Args&&... args) {
  fmt::format_to(std::back_inserter(out), text, std::forward<Args>(args)...);
}

}  // namespace mfushim::report
