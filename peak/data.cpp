// Puts sign, exponent and mantissa together.
#include "data.hpp"

#include <cstdint>
#include <cstring>
#include <random>

namespace mfushim::peak {

namespace {

constexpr std::size_t kBytes = 8 << 20;
constexpr std::uint64_t kExponents = 5;  // below the one of 1

}  // namespace

std::vector<unsigned char> plausible_numbers(unsigned bits, unsigned exponent_bits,
                                             unsigned mantissa_bits) {
  std::mt19937_64 random(1);
  const std::uint64_t bias = (std::uint64_t{1} << (exponent_bits - 1)) - 1;
  const std::size_t width = bits / 8;
  std::vector<unsigned char> bytes(kBytes);
  for (std::size_t at = 0; at + width <= bytes.size(); at += width) {
    const std::uint64_t draw = random();
    const std::uint64_t mantissa = draw & ((std::uint64_t{1} << mantissa_bits) - 1);
    const std::uint64_t exponent = bias - 1 - random() % kExponents;
    const std::uint64_t sign = draw >> 63;
    const std::uint64_t element =
        sign << (exponent_bits + mantissa_bits) | exponent << mantissa_bits | mantissa;
    std::memcpy(bytes.data() + at, &element, width);  // little-endian, as the GPU
  }
  return bytes;
}

}  // namespace mfushim::peak
