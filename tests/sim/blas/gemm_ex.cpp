// libcublas's gemm functions with the types as arguments.
#include "gemm.hpp"

using mfusim::blas::gemm;

#define MFUSIM_SHAPE(Int) \
  cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, Int m, Int n, Int k

// cublasSgemmEx, cublasCgemmEx and cublasCgemm3mEx: scaled and accumulated in fp32.
#define MFUSIM_SCALED_EX(name, Int, T)                                                       \
  cublasStatus_t name(MFUSIM_SHAPE(Int), const T* alpha, const void* a, cudaDataType a_type, \
                      Int lda, const void* b, cudaDataType b_type, Int ldb, const T* beta,   \
                      void* c, cudaDataType c_type, Int ldc) {                               \
    return gemm(                                                                             \
        handle,                                                                              \
        {__func__, transa, transb, m, n, k, 1, a_type, b_type, c_type, CUBLAS_COMPUTE_32F},  \
        {alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0});                                     \
  }

#define MFUSIM_EX(name, Int)                                                                     \
  cublasStatus_t name(MFUSIM_SHAPE(Int), const void* alpha, const void* a, cudaDataType a_type,  \
                      Int lda, const void* b, cudaDataType b_type, Int ldb, const void* beta,    \
                      void* c, cudaDataType c_type, Int ldc, cublasComputeType_t compute,        \
                      cublasGemmAlgo_t) {                                                        \
    return gemm(handle, {__func__, transa, transb, m, n, k, 1, a_type, b_type, c_type, compute}, \
                {alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0});                                 \
  }

#define MFUSIM_BATCHED_EX(name, Int)                                                              \
  cublasStatus_t name(MFUSIM_SHAPE(Int), const void* alpha, const void* const a[],                \
                      cudaDataType a_type, Int lda, const void* const b[], cudaDataType b_type,   \
                      Int ldb, const void* beta, void* const c[], cudaDataType c_type, Int ldc,   \
                      Int batch, cublasComputeType_t compute, cublasGemmAlgo_t) {                 \
    return gemm(                                                                                  \
        handle,                                                                                   \
        {__func__, transa, transb, m, n, k, batch, a_type, b_type, c_type, compute, false, true}, \
        {alpha, a, lda, 0, b, ldb, 0, beta, const_cast<void**>(c), ldc, 0});                      \
  }

#define MFUSIM_STRIDED_EX(name, Int)                                                               \
  cublasStatus_t name(MFUSIM_SHAPE(Int), const void* alpha, const void* a, cudaDataType a_type,    \
                      Int lda, long long stride_a, const void* b, cudaDataType b_type, Int ldb,    \
                      long long stride_b, const void* beta, void* c, cudaDataType c_type, Int ldc, \
                      long long stride_c, Int batch, cublasComputeType_t compute,                  \
                      cublasGemmAlgo_t) {                                                          \
    return gemm(handle,                                                                            \
                {__func__, transa, transb, m, n, k, batch, a_type, b_type, c_type, compute},       \
                {alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, stride_c});              \
  }

extern "C" {

MFUSIM_SCALED_EX(cublasSgemmEx, int, float)
MFUSIM_SCALED_EX(cublasSgemmEx_64, int64_t, float)
MFUSIM_SCALED_EX(cublasCgemmEx, int, cuComplex)
MFUSIM_SCALED_EX(cublasCgemmEx_64, int64_t, cuComplex)
MFUSIM_SCALED_EX(cublasCgemm3mEx, int, cuComplex)
MFUSIM_SCALED_EX(cublasCgemm3mEx_64, int64_t, cuComplex)

MFUSIM_EX(cublasGemmEx, int)
MFUSIM_EX(cublasGemmEx_64, int64_t)
MFUSIM_BATCHED_EX(cublasGemmBatchedEx, int)
MFUSIM_BATCHED_EX(cublasGemmBatchedEx_64, int64_t)
MFUSIM_STRIDED_EX(cublasGemmStridedBatchedEx, int)
MFUSIM_STRIDED_EX(cublasGemmStridedBatchedEx_64, int64_t)

}  // extern "C"
