// A product through cuBLASLt, which alone takes 8-bit matrices and adds a bias in the same kernel.
#pragma once

#include <cublasLt.h>

// out[m, n] = op(left) op(right) + bias + scale_of_out * out, all column-major without gaps.
struct LtProduct {
  cublasOperation_t left_op = CUBLAS_OP_N, right_op = CUBLAS_OP_N;
  int m = 0, n = 0, k = 0;
  const void* left = nullptr;
  cudaDataType_t left_type = CUDA_R_16BF;
  const float* left_scale = nullptr;  // on the device, as right_scale; of 8-bit matrices
  const void* right = nullptr;
  cudaDataType_t right_type = CUDA_R_16BF;
  const float* right_scale = nullptr;
  const void* bias = nullptr;  // m values, or null
  void* out = nullptr;
  cudaDataType_t out_type = CUDA_R_16BF;
  float scale_of_out = 0;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
};

class Lt {
 public:
  explicit Lt(cudaStream_t stream);
  ~Lt();
  Lt(const Lt&) = delete;
  Lt& operator=(const Lt&) = delete;

  void multiply(const LtProduct& product);

 private:
  cudaStream_t stream_;
  cublasLtHandle_t handle_ = nullptr;
  void* workspace_ = nullptr;
};
