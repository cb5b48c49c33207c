// Why a product may be slower than the peak: what its shape and its kernel's name show.
#pragma once

#include <cstdint>
#include <string>

#include "passes/products.hpp"

namespace mfushim::passes {

// Hints with their evidence, separated by "; "; empty when there is none. `sm_count` 0: not known.
std::string gemm_hint(const ProductRow& row, std::uint32_t sm_count);

}  // namespace mfushim::passes
