// See matrix.hpp. cuBLAS is column-major: a row-major [rows, cols] is its [cols, rows], so that
// every product is asked for with its operands exchanged.
#include "matrix.hpp"

#include <cuda_bf16.h>

#include "../support/check.hpp"
#include "element.hpp"

namespace {

constexpr float kOne = 1, kZero = 0;
constexpr cublasOperation_t kN = CUBLAS_OP_N, kT = CUBLAS_OP_T;

}  // namespace

template <class Element>
Matrix<Element>::Matrix(cudaStream_t stream, bool tf32)
    : lt_(stream), compute_(tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F) {
  CHECK_CUBLAS(cublasCreate(&cublas_));
  CHECK_CUBLAS(cublasSetStream(cublas_, stream));
}

template <class Element>
Matrix<Element>::~Matrix() {
  cublasDestroy(cublas_);
}

template <class Element>
void Matrix<Element>::forward(const Element* in, const Element* weight, const Element* bias,
                              Element* out, int rows, int ins, int outs) {
  if (bias == nullptr) return gemm(kT, kN, outs, rows, ins, weight, ins, in, ins, out, kZero);
  LtProduct product;
  product.left_op = kT;
  product.m = outs;
  product.n = rows;
  product.k = ins;
  product.left = weight;
  product.right = in;
  product.bias = bias;
  product.out = out;
  product.left_type = product.right_type = product.out_type = kCudaType<Element>;
  product.compute = compute_;
  lt_.multiply(product);
}

template <class Element>
void Matrix<Element>::grad_input(const Element* grad, const Element* weight, Element* grad_in,
                                 int rows, int ins, int outs) {
  gemm(kN, kN, ins, rows, outs, weight, ins, grad, outs, grad_in, kZero);
}

template <class Element>
void Matrix<Element>::grad_weight(const Element* grad, const Element* in, Element* grad_weight,
                                  int rows, int ins, int outs, bool add) {
  gemm(kN, kT, ins, outs, rows, in, ins, grad, outs, grad_weight, add ? kOne : kZero);
}

template <class Element>
void Matrix<Element>::heads_xyt(const Element* x, const Element* y, Element* out, int heads, int a,
                                int b, int depth) {
  batched(kT, kN, b, a, depth, y, depth, x, depth, out, heads);
}

template <class Element>
void Matrix<Element>::heads_xy(const Element* x, const Element* y, Element* out, int heads, int a,
                               int b, int depth) {
  batched(kN, kN, b, a, depth, y, b, x, depth, out, heads);
}

template <class Element>
void Matrix<Element>::heads_xty(const Element* x, const Element* y, Element* out, int heads, int a,
                                int b, int depth) {
  batched(kN, kT, b, a, depth, y, b, x, a, out, heads);
}

template <class Element>
void Matrix<Element>::gemm(cublasOperation_t left_op, cublasOperation_t right_op, int m, int n,
                           int k, const Element* left, int left_ld, const Element* right,
                           int right_ld, Element* out, const float& scale_of_out) {
  constexpr cudaDataType_t kType = kCudaType<Element>;
  CHECK_CUBLAS(cublasGemmEx(cublas_, left_op, right_op, m, n, k, &kOne, left, kType, left_ld, right,
                            kType, right_ld, &scale_of_out, out, kType, m, compute_,
                            CUBLAS_GEMM_DEFAULT));
}

template <class Element>
void Matrix<Element>::batched(cublasOperation_t left_op, cublasOperation_t right_op, int m, int n,
                              int k, const Element* left, int left_ld, const Element* right,
                              int right_ld, Element* out, int batch) {
  constexpr cudaDataType_t kType = kCudaType<Element>;
  const long long left_stride = static_cast<long long>(m) * k;
  const long long right_stride = static_cast<long long>(k) * n;
  CHECK_CUBLAS(cublasGemmStridedBatchedEx(
      cublas_, left_op, right_op, m, n, k, &kOne, left, kType, left_ld, left_stride, right, kType,
      right_ld, right_stride, &kZero, out, kType, m, static_cast<long long>(m) * n, batch, compute_,
      CUBLAS_GEMM_DEFAULT));
}

template class Matrix<__nv_bfloat16>;
template class Matrix<float>;
