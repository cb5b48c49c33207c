// libcublas's gemm functions with the type in the name: S, D, C, Z and H; plain, batched, strided
// batched.
#include "gemm.hpp"

using mfusim::blas::gemm;

// The exported names end in _64 where sizes have 64 bits, whence Int.
#define MFUSIM_SHAPE(Int) \
  cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, Int m, Int n, Int k

#define MFUSIM_PLAIN(name, Int, T, type, compute)                                                  \
  cublasStatus_t name(MFUSIM_SHAPE(Int), const T* alpha, const T* a, Int lda, const T* b, Int ldb, \
                      const T* beta, T* c, Int ldc) {                                              \
    return gemm(handle, {__func__, transa, transb, m, n, k, 1, type, type, type, compute},         \
                {alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0});                                   \
  }

#define MFUSIM_BATCHED(name, Int, T, type, compute)                                         \
  cublasStatus_t name(MFUSIM_SHAPE(Int), const T* alpha, const T* const a[], Int lda,       \
                      const T* const b[], Int ldb, const T* beta, T* const c[], Int ldc,    \
                      Int batch) {                                                          \
    return gemm(                                                                            \
        handle,                                                                             \
        {__func__, transa, transb, m, n, k, batch, type, type, type, compute, false, true}, \
        {alpha, a, lda, 0, b, ldb, 0, beta, const_cast<T**>(c), ldc, 0});                   \
  }

#define MFUSIM_STRIDED(name, Int, T, type, compute)                                               \
  cublasStatus_t name(MFUSIM_SHAPE(Int), const T* alpha, const T* a, Int lda, long long stride_a, \
                      const T* b, Int ldb, long long stride_b, const T* beta, T* c, Int ldc,      \
                      long long stride_c, Int batch) {                                            \
    return gemm(handle, {__func__, transa, transb, m, n, k, batch, type, type, type, compute},    \
                {alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, stride_c});             \
  }

#define MFUSIM_PLAIN_TWINS(name, T, type, compute) \
  MFUSIM_PLAIN(name, int, T, type, compute)        \
  MFUSIM_PLAIN(name##_64, int64_t, T, type, compute)

#define MFUSIM_BATCHED_TWINS(stem, T, type, compute)          \
  MFUSIM_BATCHED(stem##Batched, int, T, type, compute)        \
  MFUSIM_BATCHED(stem##Batched_64, int64_t, T, type, compute) \
  MFUSIM_STRIDED(stem##StridedBatched, int, T, type, compute) \
  MFUSIM_STRIDED(stem##StridedBatched_64, int64_t, T, type, compute)

extern "C" {

MFUSIM_PLAIN_TWINS(cublasSgemm_v2, float, CUDA_R_32F, CUBLAS_COMPUTE_32F)
MFUSIM_PLAIN_TWINS(cublasDgemm_v2, double, CUDA_R_64F, CUBLAS_COMPUTE_64F)
MFUSIM_PLAIN_TWINS(cublasCgemm_v2, cuComplex, CUDA_C_32F, CUBLAS_COMPUTE_32F)
MFUSIM_PLAIN_TWINS(cublasZgemm_v2, cuDoubleComplex, CUDA_C_64F, CUBLAS_COMPUTE_64F)
MFUSIM_PLAIN_TWINS(cublasHgemm, __half, CUDA_R_16F, CUBLAS_COMPUTE_16F)

MFUSIM_BATCHED_TWINS(cublasSgemm, float, CUDA_R_32F, CUBLAS_COMPUTE_32F)
MFUSIM_BATCHED_TWINS(cublasDgemm, double, CUDA_R_64F, CUBLAS_COMPUTE_64F)
MFUSIM_BATCHED_TWINS(cublasCgemm, cuComplex, CUDA_C_32F, CUBLAS_COMPUTE_32F)
MFUSIM_BATCHED_TWINS(cublasZgemm, cuDoubleComplex, CUDA_C_64F, CUBLAS_COMPUTE_64F)
MFUSIM_BATCHED_TWINS(cublasHgemm, __half, CUDA_R_16F, CUBLAS_COMPUTE_16F)

// Complex by three real products instead of four: the same operation, the same nominal FLOPs.
MFUSIM_PLAIN_TWINS(cublasCgemm3m, cuComplex, CUDA_C_32F, CUBLAS_COMPUTE_32F)
MFUSIM_PLAIN_TWINS(cublasZgemm3m, cuDoubleComplex, CUDA_C_64F, CUBLAS_COMPUTE_64F)
MFUSIM_BATCHED_TWINS(cublasCgemm3m, cuComplex, CUDA_C_32F, CUBLAS_COMPUTE_32F)

}  // extern "C"
