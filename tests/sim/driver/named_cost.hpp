// The work of kernels that state none, from their names: PyTorch's own and FlashAttention, whose
// templates say how many elements a thread or a block takes.
#pragma once
#include <cstdint>

namespace mfusim {

struct NamedCost {
  double flops = 0;
  double bytes = 0;  // moved through device memory
};

// `name` is interned: what it says is worked out once. Other kernels count as elementwise ones that
// move 16 bytes a thread.
NamedCost named_cost(const char* name, const uint32_t (&grid)[3], const uint32_t (&block)[3]);

}  // namespace mfusim
