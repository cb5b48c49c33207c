// The roles of a step's matrix products: of each whether it is forward, backward or done again.
#pragma once

#include <cstdint>
#include <vector>

#include "passes/inference.hpp"

namespace mfushim::passes {

struct StepProducts {
  std::vector<ProductFamily> families;
  std::uint64_t rows = 0;           // of the family of most FLOPs that has any
  std::uint64_t micro_batches = 1;  // times that the sequence of products repeats itself
  std::size_t forward = 0;          // products before the first gradient
  bool has_backward = false;
};

// `products` in the order in which a process asked for them, from the forward pass on.
StepProducts find_roles(const std::vector<const format::GemmShape*>& products);

}  // namespace mfushim::passes
