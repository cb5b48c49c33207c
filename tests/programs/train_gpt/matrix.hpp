// The matrix products of train_gpt: all matrices row-major bf16, on one stream.
#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_bf16.h>

#include <cstddef>

using bf16 = __nv_bfloat16;

class Matrix {
 public:
  explicit Matrix(cudaStream_t stream);
  ~Matrix();
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  // out[rows, outs] = in[rows, ins] * weight[outs, ins]^T + bias[outs]; one fused product.
  void linear(const bf16* in, const bf16* weight, const bf16* bias, bf16* out, int rows, int ins,
              int outs);
  // The same without bias.
  void linear(const bf16* in, const bf16* weight, bf16* out, int rows, int ins, int outs);
  // grad_in[rows, ins] = grad[rows, outs] * weight[outs, ins]
  void linear_grad_input(const bf16* grad, const bf16* weight, bf16* grad_in, int rows, int ins,
                         int outs);
  // grad_weight[outs, ins] = grad[rows, outs]^T * in[rows, ins], plus what is there if `add`
  void linear_grad_weight(const bf16* grad, const bf16* in, bf16* grad_weight, int rows, int ins,
                          int outs, bool add);

  // Per head: out[a, b] = x[a, depth] * y[b, depth]^T
  void heads_xyt(const bf16* x, const bf16* y, bf16* out, int heads, int a, int b, int depth);
  // Per head: out[a, b] = x[a, depth] * y[depth, b]
  void heads_xy(const bf16* x, const bf16* y, bf16* out, int heads, int a, int b, int depth);
  // Per head: out[a, b] = x[depth, a]^T * y[depth, b]
  void heads_xty(const bf16* x, const bf16* y, bf16* out, int heads, int a, int b, int depth);

 private:
  void gemm(cublasOperation_t left_op, cublasOperation_t right_op, int m, int n, int k,
            const bf16* left, int left_ld, const bf16* right, int right_ld, bf16* out,
            const float& scale_of_out);
  void batched(cublasOperation_t left_op, cublasOperation_t right_op, int m, int n, int k,
               const bf16* left, int left_ld, const bf16* right, int right_ld, bf16* out,
               int batch);

  cudaStream_t stream_;
  cublasHandle_t cublas_ = nullptr;
  cublasLtHandle_t lt_ = nullptr;
  void* workspace_ = nullptr;
};
