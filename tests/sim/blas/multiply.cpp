// libcublas's products: the narrow types go through cuBLASLt, as in the real library, the others
// are launched here.
#include "multiply.hpp"

#include <cublasLt.h>

#include <algorithm>

namespace mfusim::blas {
namespace {

bool has_sizes(const Product& product) {
  return product.m >= 0 && product.n >= 0 && product.k >= 0 && product.batch >= 0;
}

// Of general products the leading dimensions too; cublasUint8gemmBias has its own order of them.
bool is_valid(const Product& product, const Operands& operands) {
  if (!has_sizes(product)) return false;
  if (product.kind != Kind::kGemm || product.a_type == CUDA_R_8U) return true;
  const int64_t rows_a = product.transa == CUBLAS_OP_N ? product.m : product.k;
  const int64_t rows_b = product.transb == CUBLAS_OP_N ? product.k : product.n;
  return operands.lda >= std::max<int64_t>(rows_a, 1) &&
         operands.ldb >= std::max<int64_t>(rows_b, 1) &&
         operands.ldc >= std::max<int64_t>(product.m, 1);
}

bool goes_through_lt(const Product& product) {
  if (product.kind != Kind::kGemm || product.pointer_array) return false;
  switch (product.a_type) {
    case CUDA_R_16F:
    case CUDA_R_16BF:
    case CUDA_R_8F_E4M3:
    case CUDA_R_8F_E5M2:
      return true;
    default:
      return false;
  }
}

void describe(cublasLtMatrixLayoutOpaque_t* layout, cudaDataType_t type, bool transposed,
              int64_t rows, int64_t cols, int64_t ld, int64_t batch, int64_t stride) {
  if (transposed) std::swap(rows, cols);
  const auto count = static_cast<int32_t>(batch);
  cublasLtMatrixLayoutInit(layout, type, static_cast<uint64_t>(rows), static_cast<uint64_t>(cols),
                           ld);
  cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count,
                                   sizeof count);
  cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
                                   sizeof stride);
}

cublasStatus_t through_lt(cublasHandle_t handle, const Product& product, const Operands& operands) {
  cublasLtMatmulDescOpaque_t operation;
  const auto scale = product.compute == CUBLAS_COMPUTE_16F ? CUDA_R_16F : CUDA_R_32F;
  cublasLtMatmulDescInit(&operation, static_cast<cublasComputeType_t>(product.compute), scale);
  const auto pointer_mode = static_cast<int32_t>(handle->pointer_mode);
  cublasLtMatmulDescSetAttribute(&operation, CUBLASLT_MATMUL_DESC_POINTER_MODE, &pointer_mode,
                                 sizeof pointer_mode);
  cublasLtMatmulDescSetAttribute(&operation, CUBLASLT_MATMUL_DESC_TRANSA, &product.transa,
                                 sizeof product.transa);
  cublasLtMatmulDescSetAttribute(&operation, CUBLASLT_MATMUL_DESC_TRANSB, &product.transb,
                                 sizeof product.transb);
  cublasLtMatrixLayoutOpaque_t a, b, c;
  describe(&a, product.a_type, product.transa != CUBLAS_OP_N, product.m, product.k, operands.lda,
           product.batch, operands.stride_a);
  describe(&b, product.b_type, product.transb != CUBLAS_OP_N, product.k, product.n, operands.ldb,
           product.batch, operands.stride_b);
  describe(&c, product.d_type, false, product.m, product.n, operands.ldc, product.batch,
           operands.stride_c);
  return cublasLtMatmul(reinterpret_cast<cublasLtHandle_t>(handle), &operation, operands.alpha,
                        operands.a, &a, operands.b, &b, operands.beta, operands.c, &c, operands.c,
                        &c, nullptr, handle->workspace, handle->workspace_bytes, handle->stream);
}

}  // namespace

cublasStatus_t multiply(cublasHandle_t handle, Product product, const Operands& operands) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!is_valid(product, operands)) return CUBLAS_STATUS_INVALID_VALUE;
  product.tf32_allowed = (handle->math_mode & CUBLAS_TF32_TENSOR_OP_MATH) != 0;
  ProductCall call({&product, 1}, handle->stream);
  if (product.m == 0 || product.n == 0 || product.batch == 0) {
    return call.finish(CUBLAS_STATUS_SUCCESS);
  }
  return call.finish(goes_through_lt(product) ? through_lt(handle, product, operands)
                                              : perform({&product, 1}, handle->stream));
}

cublasStatus_t multiply_groups(cublasHandle_t handle, const std::vector<Product>& groups) {
  if (!std::all_of(groups.begin(), groups.end(), has_sizes)) return CUBLAS_STATUS_INVALID_VALUE;
  ProductCall call(groups, handle->stream);
  return call.finish(perform(groups, handle->stream));
}

}  // namespace mfusim::blas
