// Products as libcublas's many functions ask for them.
#pragma once

#include <vector>

#include "handle.hpp"
#include "product.hpp"

namespace mfusim::blas {

// Of a general product. A, B and C as given: matrices, or arrays of pointers to them when the
// product says so.
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

cublasStatus_t multiply(cublasHandle_t handle, Product product, const Operands& operands);
cublasStatus_t multiply_groups(cublasHandle_t handle, const std::vector<Product>& groups);

}  // namespace mfusim::blas
