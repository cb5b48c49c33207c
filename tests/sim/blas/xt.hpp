// cublasXt: products of host memory, shared out to several GPUs.
#pragma once

#include "product.hpp"

struct cublasXtContext;

namespace mfusim::blas {

cublasStatus_t multiply_on_all(cublasXtContext* handle, const Product& product);

}  // namespace mfusim::blas
