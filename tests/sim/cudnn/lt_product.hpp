// A product that cuDNN leaves to cuBLASLt, which it looks up when it needs it.
#pragma once

#include <cudnn.h>

#include "operation.hpp"

namespace mfusim::cudnn {

// False where there is no cuBLASLt or where it does not take the product.
bool product_by_lt(cudnnHandle_t handle, const Operation& operation);

// Frees what the handle made there.
void end_lt(cudnnHandle_t handle);

}  // namespace mfusim::cudnn
