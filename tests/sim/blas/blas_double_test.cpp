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

// Both twins of a function; ARGUMENTS are those after the sizes.
#define TWINS(name, ...)                                         \
  CHECK_CUBLAS(name(handle, kNo, kNo, kM, kN, kK, __VA_ARGS__)); \
  CHECK_CUBLAS(name##_64(handle, kNo, kNo, kM, kN, kK, __VA_ARGS__))

#define PLAIN(kind, T)                                                            \
  {                                                                               \
    const T one{};                                                                \
    auto *a = static_cast<T*>(memory.a), *b = static_cast<T*>(memory.b);          \
    TWINS(cublas##kind, &one, a, kM, b, kK, &one, static_cast<T*>(memory.c), kM); \
  }

#define BATCHED(kind, T)                                                              \
  {                                                                                   \
    const T one{};                                                                    \
    auto *a = static_cast<T*>(memory.a), *b = static_cast<T*>(memory.b);              \
    auto** in = static_cast<T**>(memory.arrays);                                      \
    TWINS(cublas##kind##Batched, &one, in, kM, in, kK, &one, in, kM, kBatch);         \
    TWINS(cublas##kind##StridedBatched, &one, a, kM, kStrideA, b, kK, kStrideB, &one, \
          static_cast<T*>(memory.c), kM, kStrideC, kBatch);                           \
  }

#define TYPED(kind, T) PLAIN(kind, T) BATCHED(kind, T)

void typed(cublasHandle_t handle, const Memory& memory) {
  TYPED(Sgemm, float)
  TYPED(Dgemm, double)
  TYPED(Cgemm, cuComplex)
  TYPED(Zgemm, cuDoubleComplex)
  TYPED(Hgemm, __half)
  TYPED(Cgemm3m, cuComplex)
  PLAIN(Zgemm3m, cuDoubleComplex)
}

void with_types(cublasHandle_t handle, const Memory& memory) {
  const float scale = 1;
  const cuComplex complex_scale{1, 0};
  const auto t = CUDA_R_16BF, f = CUDA_R_32F, z = CUDA_C_32F;
  const auto compute = CUBLAS_COMPUTE_32F;
  const auto algo = CUBLAS_GEMM_DEFAULT;
  void *a = memory.a, *b = memory.b, *c = memory.c;
  auto** in = static_cast<void**>(memory.arrays);
  TWINS(cublasSgemmEx, &scale, a, t, kM, b, t, kK, &scale, c, f, kM);
  TWINS(cublasCgemmEx, &complex_scale, a, z, kM, b, z, kK, &complex_scale, c, z, kM);
  TWINS(cublasCgemm3mEx, &complex_scale, a, z, kM, b, z, kK, &complex_scale, c, z, kM);
  TWINS(cublasGemmEx, &scale, a, t, kM, b, t, kK, &scale, c, t, kM, compute, algo);
  TWINS(cublasGemmBatchedEx, &scale, in, t, kM, in, t, kK, &scale, in, t, kM, kBatch, compute,
        algo);
  TWINS(cublasGemmStridedBatchedEx, &scale, a, t, kM, kStrideA, b, t, kK, kStrideB, &scale, c, t,
        kM, kStrideC, kBatch, compute, algo);
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
