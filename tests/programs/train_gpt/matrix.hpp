// The matrix products of train_gpt in the type of its tensors: all matrices row-major, on one
// stream.
#pragma once

#include <cublas_v2.h>

#include "linear.hpp"
#include "lt.hpp"

template <class Element>
class Matrix : public Linear<Element> {
 public:
  // tf32: whether single precision may be rounded to it.
  Matrix(cudaStream_t stream, bool tf32);
  ~Matrix() override;
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  // With a bias one fused product.
  void forward(const Element* in, const Element* weight, const Element* bias, Element* out,
               int rows, int ins, int outs) override;
  void grad_input(const Element* grad, const Element* weight, Element* grad_in, int rows, int ins,
                  int outs) override;
  void grad_weight(const Element* grad, const Element* in, Element* grad_weight, int rows, int ins,
                   int outs, bool add) override;

  // Per head: out[a, b] = x[a, depth] * y[b, depth]^T
  void heads_xyt(const Element* x, const Element* y, Element* out, int heads, int a, int b,
                 int depth);
  // Per head: out[a, b] = x[a, depth] * y[depth, b]
  void heads_xy(const Element* x, const Element* y, Element* out, int heads, int a, int b,
                int depth);
  // Per head: out[a, b] = x[depth, a]^T * y[depth, b]
  void heads_xty(const Element* x, const Element* y, Element* out, int heads, int a, int b,
                 int depth);

 private:
  void gemm(cublasOperation_t left_op, cublasOperation_t right_op, int m, int n, int k,
            const Element* left, int left_ld, const Element* right, int right_ld, Element* out,
            const float& scale_of_out);
  void batched(cublasOperation_t left_op, cublasOperation_t right_op, int m, int n, int k,
               const Element* left, int left_ld, const Element* right, int right_ld, Element* out,
               int batch);

  Lt lt_;
  cublasComputeType_t compute_;
  cublasHandle_t cublas_ = nullptr;
};
