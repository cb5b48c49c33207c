// Dot products, which frameworks ask for beside matrix products: two kernels, no matrix product to
// count.
#include <cublas_v2.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "handle.hpp"
#include "product.hpp"

namespace mfusim::blas {
namespace {

cublasStatus_t dot(cublasHandle_t handle, const std::string& type, int64_t n, size_t item_bytes,
                   void* result, size_t result_bytes) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (result == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (handle->pointer_mode == CUBLAS_POINTER_MODE_HOST) std::memset(result, 0, result_bytes);
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  constexpr int64_t kItemsPerBlock = 128 * 8;
  const auto blocks = static_cast<unsigned>(std::clamp<int64_t>(n / kItemsPerBlock, 1, 1024));
  library::KernelWork partial;
  partial.name =
      "void dot_kernel<" + type + ", 128, 0, cublasDotParams<" + type + " const, " + type + ">>";
  partial.grid.x = blocks;
  partial.block.x = 128;
  partial.cost = {2.0 * static_cast<double>(n),
                  2.0 * static_cast<double>(n) * static_cast<double>(item_bytes),
                  0,
                  -1,
                  0,
                  nullptr,
                  nullptr};
  library::KernelWork total;
  total.name = "void reduce_1Block_kernel<" + type + ", 128, 7, " + type + ">";
  total.block.x = 128;
  total.cost = {static_cast<double>(blocks),
                static_cast<double>(blocks) * static_cast<double>(item_bytes),
                0,
                -1,
                0,
                nullptr,
                nullptr};
  for (const library::KernelWork& work : {partial, total}) {
    const CUresult launched = library::launch(library::runtime_door(), work, handle->stream);
    if (launched != CUDA_SUCCESS) return status_of(launched);
  }
  return CUBLAS_STATUS_SUCCESS;
}

template <typename Item>
cublasStatus_t dot(cublasHandle_t handle, const char* type, int64_t n, Item* result) {
  return dot(handle, type, n, sizeof(Item), result, sizeof(Item));
}

size_t bytes_of(cudaDataType_t type) {
  switch (type) {
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return 2;
    case CUDA_R_64F:
    case CUDA_C_32F:
      return 8;
    case CUDA_C_64F:
      return 16;
    default:
      return 4;
  }
}

cublasStatus_t dot(cublasHandle_t handle, int64_t n, cudaDataType_t item, void* result,
                   cudaDataType_t result_type) {
  const char* const type = item == CUDA_R_16F    ? "__half"
                           : item == CUDA_R_16BF ? "__nv_bfloat16"
                                                 : "float";
  return dot(handle, type, n, bytes_of(item), result, bytes_of(result_type));
}

}  // namespace
}  // namespace mfusim::blas

using mfusim::blas::dot;

extern "C" {

cublasStatus_t cublasSdot(cublasHandle_t handle, int n, const float*, int, const float*, int,
                          float* result) {
  return dot(handle, "float", n, result);
}
cublasStatus_t cublasDdot(cublasHandle_t handle, int n, const double*, int, const double*, int,
                          double* result) {
  return dot(handle, "double", n, result);
}
cublasStatus_t cublasCdotu(cublasHandle_t handle, int n, const cuComplex*, int, const cuComplex*,
                           int, cuComplex* result) {
  return dot(handle, "float2", n, result);
}
cublasStatus_t cublasCdotc(cublasHandle_t handle, int n, const cuComplex*, int, const cuComplex*,
                           int, cuComplex* result) {
  return dot(handle, "float2", n, result);
}
cublasStatus_t cublasZdotu(cublasHandle_t handle, int n, const cuDoubleComplex*, int,
                           const cuDoubleComplex*, int, cuDoubleComplex* result) {
  return dot(handle, "double2", n, result);
}
cublasStatus_t cublasZdotc(cublasHandle_t handle, int n, const cuDoubleComplex*, int,
                           const cuDoubleComplex*, int, cuDoubleComplex* result) {
  return dot(handle, "double2", n, result);
}
cublasStatus_t cublasDotEx(cublasHandle_t handle, int n, const void*, cudaDataType_t x_type, int,
                           const void*, cudaDataType_t, int, void* result,
                           cudaDataType_t result_type, cudaDataType_t) {
  return dot(handle, n, x_type, result, result_type);
}
cublasStatus_t cublasDotcEx(cublasHandle_t handle, int n, const void*, cudaDataType_t x_type, int,
                            const void*, cudaDataType_t, int, void* result,
                            cudaDataType_t result_type, cudaDataType_t) {
  return dot(handle, n, x_type, result, result_type);
}

}  // extern "C"
