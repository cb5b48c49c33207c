// What the cuBLAS doubles refuse, and how cuBLASLt's attributes answer. Of its calls only the empty
// product makes a line of truth, and none a launch.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include "../../programs/support/check.hpp"

#define EXPECT(condition)                                                    \
  do {                                                                       \
    if (!(condition)) fail(#condition, "does not hold", __FILE__, __LINE__); \
  } while (0)

namespace {

constexpr int kM = 48, kN = 32, kK = 64;
constexpr auto kNo = CUBLAS_OP_N;

void refusals(cublasHandle_t handle) {
  const float scale = 1;
  float* data = nullptr;  // of which nothing is read
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
  refusals(handle);
  layouts();
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK_CUBLAS(cublasDestroy(handle));
  return 0;
}
