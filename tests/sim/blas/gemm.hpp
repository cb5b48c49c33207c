// One product as libcublas's many gemm functions ask for it.
#pragma once

#include "handle.hpp"
#include "product.hpp"

namespace mfusim::blas {

// A, B and C as given: matrices, or arrays of pointers to them when the product says so.
struct Operands {
  const void* alpha;
  const void* a;
  int64_t lda;
  int64_t stride_a;
  const void* b;
  int64_t ldb;
  int64_t stride_b;
  const void* beta;
  void* c;
  int64_t ldc;
  int64_t stride_c;
};

cublasStatus_t gemm(cublasHandle_t handle, Product product, const Operands& operands);

}  // namespace mfusim::blas
