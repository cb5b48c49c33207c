// Element types and architectures as kernel names spell them.
#pragma once

#include <string_view>
#include <vector>

#include "knowledge/kernels/kernel.hpp"

namespace mfushim::knowledge {

// "bf16", "e4m3", "half", ...: the project's word for the type; empty when `word` is none.
std::string_view type_named(std::string_view word);

// The letter of BLAS before "gemm": s, h, d, c, z, and i for 8-bit integers; empty for others.
std::string_view blas_letter_type(char letter);

// "bf16bf16f32" as types; empty when it is anything else.
std::vector<std::string_view> types_in_row(std::string_view text);

// The narrowest element type that occurs anywhere in a name, or empty. `complex_pairs`: float2 and
// double2 are complex numbers, as they are in products and transforms.
std::string_view narrowest_type(std::string_view text, bool complex_pairs);

// Reads the architecture that a name mentions, as number or as code name.
void read_arch(std::string_view text, KernelFacts& facts);

}  // namespace mfushim::knowledge
