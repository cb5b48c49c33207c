// Numbers to multiply: random, of both signs and of moderate size, in any binary format.
#pragma once

#include <vector>

namespace mfushim::peak {

// Some megabytes of elements of 1/32 to 1 in size, the same in every process.
std::vector<unsigned char> plausible_numbers(unsigned bits, unsigned exponent_bits,
                                             unsigned mantissa_bits);

}  // namespace mfushim::peak
