// See matrix.hpp. cuBLAS is column-major: a row-major [rows, cols] is its [cols, rows], so that
// every product is asked for with its operands exchanged.
#include "matrix.hpp"

#include <cuda_runtime_api.h>

#include "../support/check.hpp"

namespace {

constexpr float kOne = 1, kZero = 0;
constexpr size_t kWorkspaceBytes = 32 << 20;
constexpr cublasOperation_t kN = CUBLAS_OP_N, kT = CUBLAS_OP_T;

struct Layout {
  cublasLtMatrixLayout_t handle = nullptr;
  Layout(int rows, int cols) {
    CHECK_CUBLAS(cublasLtMatrixLayoutCreate(&handle, CUDA_R_16BF, static_cast<uint64_t>(rows),
                                            static_cast<uint64_t>(cols), rows));
  }
  ~Layout() { cublasLtMatrixLayoutDestroy(handle); }
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;
};

}  // namespace

Matrix::Matrix(cudaStream_t stream) : stream_(stream) {
  CHECK_CUBLAS(cublasCreate(&cublas_));
  CHECK_CUBLAS(cublasSetStream(cublas_, stream));
  CHECK_CUBLAS(cublasLtCreate(&lt_));
  CHECK_CUDA(cudaMalloc(&workspace_, kWorkspaceBytes));
}

Matrix::~Matrix() {
  cudaFree(workspace_);
  cublasLtDestroy(lt_);
  cublasDestroy(cublas_);
}

void Matrix::linear(const bf16* in, const bf16* weight, const bf16* bias, bf16* out, int rows,
                    int ins, int outs) {
  cublasLtMatmulDesc_t operation = nullptr;
  CHECK_CUBLAS(cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  const auto set = [&](cublasLtMatmulDescAttributes_t attribute, const auto& value) {
    CHECK_CUBLAS(cublasLtMatmulDescSetAttribute(operation, attribute, &value, sizeof value));
  };
  set(CUBLASLT_MATMUL_DESC_TRANSA, kT);
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
  set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
  const Layout left(ins, outs), right(ins, rows), result(outs, rows);

  cublasLtMatmulPreference_t preference = nullptr;
  CHECK_CUBLAS(cublasLtMatmulPreferenceCreate(&preference));
  CHECK_CUBLAS(cublasLtMatmulPreferenceSetAttribute(preference,
                                                    CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                    &kWorkspaceBytes, sizeof kWorkspaceBytes));
  cublasLtMatmulHeuristicResult_t choice{};
  int found = 0;
  CHECK_CUBLAS(cublasLtMatmulAlgoGetHeuristic(lt_, operation, left.handle, right.handle,
                                              result.handle, result.handle, preference, 1, &choice,
                                              &found));
  if (found == 0) fail("cublasLtMatmulAlgoGetHeuristic", "no algorithm", __FILE__, __LINE__);
  CHECK_CUBLAS(cublasLtMatmul(lt_, operation, &kOne, weight, left.handle, in, right.handle, &kZero,
                              out, result.handle, out, result.handle, &choice.algo, workspace_,
                              kWorkspaceBytes, stream_));
  cublasLtMatmulPreferenceDestroy(preference);
  cublasLtMatmulDescDestroy(operation);
}

void Matrix::linear(const bf16* in, const bf16* weight, bf16* out, int rows, int ins, int outs) {
  gemm(kT, kN, outs, rows, ins, weight, ins, in, ins, out, kZero);
}

void Matrix::linear_grad_input(const bf16* grad, const bf16* weight, bf16* grad_in, int rows,
                               int ins, int outs) {
  gemm(kN, kN, ins, rows, outs, weight, ins, grad, outs, grad_in, kZero);
}

void Matrix::linear_grad_weight(const bf16* grad, const bf16* in, bf16* grad_weight, int rows,
                                int ins, int outs, bool add) {
  gemm(kN, kT, ins, outs, rows, in, ins, grad, outs, grad_weight, add ? kOne : kZero);
}

void Matrix::heads_xyt(const bf16* x, const bf16* y, bf16* out, int heads, int a, int b,
                       int depth) {
  batched(kT, kN, b, a, depth, y, depth, x, depth, out, heads);
}

void Matrix::heads_xy(const bf16* x, const bf16* y, bf16* out, int heads, int a, int b, int depth) {
  batched(kN, kN, b, a, depth, y, b, x, depth, out, heads);
}

void Matrix::heads_xty(const bf16* x, const bf16* y, bf16* out, int heads, int a, int b,
                       int depth) {
  batched(kN, kT, b, a, depth, y, b, x, a, out, heads);
}

void Matrix::gemm(cublasOperation_t left_op, cublasOperation_t right_op, int m, int n, int k,
                  const bf16* left, int left_ld, const bf16* right, int right_ld, bf16* out,
                  const float& scale_of_out) {
  CHECK_CUBLAS(cublasGemmEx(cublas_, left_op, right_op, m, n, k, &kOne, left, CUDA_R_16BF, left_ld,
                            right, CUDA_R_16BF, right_ld, &scale_of_out, out, CUDA_R_16BF, m,
                            CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}

void Matrix::batched(cublasOperation_t left_op, cublasOperation_t right_op, int m, int n, int k,
                     const bf16* left, int left_ld, const bf16* right, int right_ld, bf16* out,
                     int batch) {
  const long long left_stride = static_cast<long long>(m) * k;
  const long long right_stride = static_cast<long long>(k) * n;
  CHECK_CUBLAS(cublasGemmStridedBatchedEx(
      cublas_, left_op, right_op, m, n, k, &kOne, left, CUDA_R_16BF, left_ld, left_stride, right,
      CUDA_R_16BF, right_ld, right_stride, &kZero, out, CUDA_R_16BF, m,
      static_cast<long long>(m) * n, batch, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}
