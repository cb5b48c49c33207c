// A graph's copy nodes are described as cuMemcpy3D's are.
#pragma once
#include "operations.hpp"

namespace mfusim {

CopyOp copy_of(const CUDA_MEMCPY3D& params);

}  // namespace mfusim
