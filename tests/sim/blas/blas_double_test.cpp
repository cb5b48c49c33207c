// Calls every product of the cuBLAS double once, with sizes that tell the calls apart, and checks
// what it refuses; products_test.py then compares the truth.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include "../../programs/support/check.hpp"

#define EXPECT(condition)                                                    \
  do {                                                                       \
    if (!(condition)) fail(#condition, "does not hold", __FILE__, __LINE__); \
  } while (0)

namespace {

constexpr int kM = 48, kN = 32, kK = 64, kBatch = 3;
constexpr long long kStrideA = kM * kK, kStrideB = kK * kN, kStrideC = kM * kN;
constexpr auto kNo = CUBLAS_OP_N;

struct Memory {
  void* a = nullptr;
  void* b = nullptr;
  void* c = nullptr;
  void* arrays = nullptr;  // of pointers, all null: the double reads none of them
};

Memory allocate() {
  Memory memory;
  for (void** each : {&memory.a, &memory.b, &memory.c, &memory.arrays}) {
    CHECK_CUDA(cudaMalloc(each, 1 << 20));
  }
  return memory;
}

#define TYPED(letter, T)                                                                           \
  {                                                                                                \
    const T one{}, *scale = &one;                                                                  \
    auto *a = static_cast<T*>(memory.a), *b = static_cast<T*>(memory.b);                           \
    auto* c = static_cast<T*>(memory.c);                                                           \
    auto* in = static_cast<T**>(memory.arrays);                                                    \
    CHECK_CUBLAS(                                                                                  \
        cublas##letter##gemm(handle, kNo, kNo, kM, kN, kK, scale, a, kM, b, kK, scale, c, kM));    \
    CHECK_CUBLAS(                                                                                  \
        cublas##letter##gemm_64(handle, kNo, kNo, kM, kN, kK, scale, a, kM, b, kK, scale, c, kM)); \
    CHECK_CUBLAS(cublas##letter##gemmBatched(handle, kNo, kNo, kM, kN, kK, scale, in, kM, in, kK,  \
                                             scale, in, kM, kBatch));                              \
    CHECK_CUBLAS(cublas##letter##gemmBatched_64(handle, kNo, kNo, kM, kN, kK, scale, in, kM, in,   \
                                                kK, scale, in, kM, kBatch));                       \
    CHECK_CUBLAS(cublas##letter##gemmStridedBatched(handle, kNo, kNo, kM, kN, kK, scale, a, kM,    \
                                                    kStrideA, b, kK, kStrideB, scale, c, kM,       \
                                                    kStrideC, kBatch));                            \
    CHECK_CUBLAS(cublas##letter##gemmStridedBatched_64(handle, kNo, kNo, kM, kN, kK, scale, a, kM, \
                                                       kStrideA, b, kK, kStrideB, scale, c, kM,    \
                                                       kStrideC, kBatch));                         \
  }

void typed(cublasHandle_t handle, const Memory& memory) {
  TYPED(S, float)
  TYPED(D, double)
  TYPED(C, cuComplex)
  TYPED(Z, cuDoubleComplex)
  TYPED(H, __half)
}

void with_types(cublasHandle_t handle, const Memory& memory) {
  const float scale = 1;
  const cuComplex complex_scale{1, 0};
  const auto t = CUDA_R_16BF, f = CUDA_R_32F, z = CUDA_C_32F;
  const auto compute = CUBLAS_COMPUTE_32F;
  const auto algo = CUBLAS_GEMM_DEFAULT;
  void *a = memory.a, *b = memory.b, *c = memory.c;
  auto** in = static_cast<void**>(memory.arrays);
  CHECK_CUBLAS(
      cublasSgemmEx(handle, kNo, kNo, kM, kN, kK, &scale, a, t, kM, b, t, kK, &scale, c, f, kM));
  CHECK_CUBLAS(
      cublasSgemmEx_64(handle, kNo, kNo, kM, kN, kK, &scale, a, t, kM, b, t, kK, &scale, c, f, kM));
  CHECK_CUBLAS(cublasCgemmEx(handle, kNo, kNo, kM, kN, kK, &complex_scale, a, z, kM, b, z, kK,
                             &complex_scale, c, z, kM));
  CHECK_CUBLAS(cublasCgemmEx_64(handle, kNo, kNo, kM, kN, kK, &complex_scale, a, z, kM, b, z, kK,
                                &complex_scale, c, z, kM));
  CHECK_CUBLAS(cublasGemmEx(handle, kNo, kNo, kM, kN, kK, &scale, a, t, kM, b, t, kK, &scale, c, t,
                            kM, compute, algo));
  CHECK_CUBLAS(cublasGemmEx_64(handle, kNo, kNo, kM, kN, kK, &scale, a, t, kM, b, t, kK, &scale, c,
                               t, kM, compute, algo));
  CHECK_CUBLAS(cublasGemmBatchedEx(handle, kNo, kNo, kM, kN, kK, &scale, in, t, kM, in, t, kK,
                                   &scale, in, t, kM, kBatch, compute, algo));
  CHECK_CUBLAS(cublasGemmBatchedEx_64(handle, kNo, kNo, kM, kN, kK, &scale, in, t, kM, in, t, kK,
                                      &scale, in, t, kM, kBatch, compute, algo));
  CHECK_CUBLAS(cublasGemmStridedBatchedEx(handle, kNo, kNo, kM, kN, kK, &scale, a, t, kM, kStrideA,
                                          b, t, kK, kStrideB, &scale, c, t, kM, kStrideC, kBatch,
                                          compute, algo));
  CHECK_CUBLAS(cublasGemmStridedBatchedEx_64(handle, kNo, kNo, kM, kN, kK, &scale, a, t, kM,
                                             kStrideA, b, t, kK, kStrideB, &scale, c, t, kM,
                                             kStrideC, kBatch, compute, algo));
}

// None of these makes a line of truth or a launch, but the empty product its line.
void refusals(cublasHandle_t handle, const Memory& memory) {
  const float scale = 1;
  auto* data = static_cast<float*>(memory.a);
  const auto sgemm = [&](cublasHandle_t with, int m, int lda) {
    return cublasSgemm(with, kNo, kNo, m, kN, kK, &scale, data, lda, data, kK, &scale, data, kM);
  };
  EXPECT(sgemm(nullptr, kM, kM) == CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT(sgemm(handle, -1, kM) == CUBLAS_STATUS_INVALID_VALUE);
  EXPECT(sgemm(handle, kM, kM - 1) == CUBLAS_STATUS_INVALID_VALUE);
  EXPECT(sgemm(handle, 0, kM) == CUBLAS_STATUS_SUCCESS);
  EXPECT(cublasSaxpy(handle, 1, &scale, data, 1, data, 1) == CUBLAS_STATUS_NOT_SUPPORTED);
}

void layouts() {
  cublasLtMatrixLayoutOpaque_t layout;
  EXPECT(cublasLtMatrixLayoutInit(&layout, CUDA_R_16BF, 3, 5, 7) == CUBLAS_STATUS_SUCCESS);
  uint64_t rows = 0;
  size_t written = 0;
  const auto get = [&](void* value, size_t bytes, size_t* size) {
    return cublasLtMatrixLayoutGetAttribute(&layout, CUBLASLT_MATRIX_LAYOUT_ROWS, value, bytes,
                                            size);
  };
  EXPECT(get(&rows, sizeof rows, &written) == CUBLAS_STATUS_SUCCESS && rows == 3 && written == 8);
  EXPECT(get(nullptr, 0, &written) == CUBLAS_STATUS_SUCCESS && written == 8);
  EXPECT(get(&rows, 4, &written) == CUBLAS_STATUS_INVALID_VALUE);
  EXPECT(get(nullptr, 0, nullptr) == CUBLAS_STATUS_INVALID_VALUE);
  EXPECT(cublasLtMatrixLayoutGetAttribute(nullptr, CUBLASLT_MATRIX_LAYOUT_ROWS, &rows, 8,
                                          &written) == CUBLAS_STATUS_INVALID_VALUE);
}

}  // namespace

int main() {
  cublasHandle_t handle = nullptr;
  CHECK_CUBLAS(cublasCreate(&handle));
  const Memory memory = allocate();
  typed(handle, memory);
  with_types(handle, memory);
  refusals(handle, memory);
  layouts();
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK_CUBLAS(cublasDestroy(handle));
  return 0;
}
