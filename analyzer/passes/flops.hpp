// Floating-point operations of recorded matrix products.
#pragma once

#include <cstdint>

#include "mfushim/format/records.hpp"

namespace mfushim::passes {

// Exact counts: a day of a GPU at 1e15 a second exceeds 64 bits.
using Flops = unsigned __int128;

// Of one execution; 0 when the dimensions are not known. Scaling, bias and epilogue do not count.
// Complex products count four real ones, however they are done.
Flops flops_of(const format::GemmShape& shape);

// What the device really did of that: complex by three real products is three quarters.
Flops executed_flops_of(const format::GemmShape& shape);

// Likewise; 0 also where there is no product in it. docs/format.md has the formulas.
Flops flops_of(const format::OperationShape& shape);

// What the model needs of these: attention's backward pass multiplies queries by keys once more.
Flops needed_flops_of(const format::OperationShape& shape);
bool is_attention(const format::OperationShape& shape);

// Whether these are what was done: sizes may be unknown, or a bound.
bool is_exact(const format::OperationShape& shape);

// The type whose units the product ran on: its inputs', or the one that the compute type or the
// handle's math mode lets single precision be rounded to.
format::DType effective_dtype(const format::GemmShape& shape);

// As cuBLAS names it without CUBLAS_COMPUTE_; empty when implied by the function.
const char* compute_type_name(std::int32_t compute);

}  // namespace mfushim::passes
