// See lt.hpp. Descriptors are made anew for each product, as frameworks do.
#include "lt.hpp"

#include <cuda_runtime_api.h>

#include "../support/check.hpp"

namespace {

constexpr float kOne = 1;
constexpr size_t kWorkspaceBytes = 32 << 20;

class Layout {
 public:
  Layout(cudaDataType_t type, int rows, int cols) {
    CHECK_CUBLAS(cublasLtMatrixLayoutCreate(&handle_, type, static_cast<uint64_t>(rows),
                                            static_cast<uint64_t>(cols), rows));
  }
  ~Layout() { cublasLtMatrixLayoutDestroy(handle_); }
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;

  cublasLtMatrixLayout_t get() const { return handle_; }

 private:
  cublasLtMatrixLayout_t handle_ = nullptr;
};

class Operation {
 public:
  explicit Operation(const LtProduct& product) {
    CHECK_CUBLAS(cublasLtMatmulDescCreate(&handle_, product.compute, CUDA_R_32F));
    set(CUBLASLT_MATMUL_DESC_TRANSA, product.left_op);
    set(CUBLASLT_MATMUL_DESC_TRANSB, product.right_op);
    if (product.bias != nullptr) {
      set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
      set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, product.bias);
      set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, product.out_type);
    }
    if (product.left_scale != nullptr) {
      set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, product.left_scale);
      set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, product.right_scale);
    }
  }
  ~Operation() { cublasLtMatmulDescDestroy(handle_); }
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  cublasLtMatmulDesc_t get() const { return handle_; }

 private:
  template <class T>
  void set(cublasLtMatmulDescAttributes_t attribute, const T& value) {
    CHECK_CUBLAS(cublasLtMatmulDescSetAttribute(handle_, attribute, &value, sizeof value));
  }

  cublasLtMatmulDesc_t handle_ = nullptr;
};

}  // namespace

Lt::Lt(cudaStream_t stream) : stream_(stream) {
  CHECK_CUBLAS(cublasLtCreate(&handle_));
  CHECK_CUDA(cudaMalloc(&workspace_, kWorkspaceBytes));
}

Lt::~Lt() {
  cudaFree(workspace_);
  cublasLtDestroy(handle_);
}

void Lt::multiply(const LtProduct& p) {
  const Operation operation(p);
  const bool left_plain = p.left_op == CUBLAS_OP_N, right_plain = p.right_op == CUBLAS_OP_N;
  const Layout left(p.left_type, left_plain ? p.m : p.k, left_plain ? p.k : p.m);
  const Layout right(p.right_type, right_plain ? p.k : p.n, right_plain ? p.n : p.k);
  const Layout out(p.out_type, p.m, p.n);

  cublasLtMatmulPreference_t preference = nullptr;
  CHECK_CUBLAS(cublasLtMatmulPreferenceCreate(&preference));
  CHECK_CUBLAS(cublasLtMatmulPreferenceSetAttribute(preference,
                                                    CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                    &kWorkspaceBytes, sizeof kWorkspaceBytes));
  cublasLtMatmulHeuristicResult_t choice{};
  int found = 0;
  CHECK_CUBLAS(cublasLtMatmulAlgoGetHeuristic(handle_, operation.get(), left.get(), right.get(),
                                              out.get(), out.get(), preference, 1, &choice,
                                              &found));
  if (found == 0) fail("cublasLtMatmulAlgoGetHeuristic", "no algorithm", __FILE__, __LINE__);
  CHECK_CUBLAS(cublasLtMatmul(handle_, operation.get(), &kOne, p.left, left.get(), p.right,
                              right.get(), &p.scale_of_out, p.out, out.get(), p.out, out.get(),
                              &choice.algo, workspace_, kWorkspaceBytes, stream_));
  cublasLtMatmulPreferenceDestroy(preference);
}
