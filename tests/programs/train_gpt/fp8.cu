// See fp8.hpp. Scales are current: each tensor's largest magnitude becomes the type's largest.
#include "fp8.hpp"

#include <cuda_fp8.h>

#include "../support/check.hpp"
#include "block.hpp"

namespace train_gpt {

constexpr float kLargestE4m3 = 448, kLargestE5m2 = 57344;

// Bits of positive floats are ordered as they are.
__global__ void largest_kernel(const __nv_bfloat16* in, int* bits, size_t count) {
  __shared__ float shared[kBlock];
  float top = 0;
  for (size_t i = first_of_thread(), end = i + kPerThread; i < end && i < count; ++i) {
    top = fmaxf(top, fabsf(load(in, i)));
  }
  top = block_max(top, shared);
  if (threadIdx.x == 0) atomicMax(bits, __float_as_int(top));
}

template <class Fp8>
__global__ void quantize_kernel(const __nv_bfloat16* in, const int* bits, float largest,
                                unsigned char* out, float* scale, int rows, int cols,
                                bool transpose) {
  const size_t count = static_cast<size_t>(rows) * cols;
  const float top = __int_as_float(*bits);
  const float factor = top > 0 ? largest / top : 1;
  if (blockIdx.x == 0 && threadIdx.x == 0) *scale = 1 / factor;
  for (size_t i = first_of_thread(), end = i + kPerThread; i < end && i < count; ++i) {
    const size_t at = transpose ? i % cols * rows + i / cols : i;
    out[at] = Fp8(load(in, i) * factor).__x;
  }
}

}  // namespace train_gpt

using namespace train_gpt;

Fp8Linear::Fp8Linear(cudaStream_t stream, size_t largest) : stream_(stream), lt_(stream) {
  for (unsigned char*& copy : copies_) CHECK_CUDA(cudaMalloc(&copy, largest));
  // The scale, and the bits of the largest magnitude that it is made from.
  for (float*& scale : scales_) CHECK_CUDA(cudaMalloc(&scale, 2 * sizeof(float)));
}

Fp8Linear::~Fp8Linear() {
  for (unsigned char* copy : copies_) cudaFree(copy);
  for (float* scale : scales_) cudaFree(scale);
}

void Fp8Linear::forward(const Element* in, const Element* weight, const Element* bias, Element* out,
                        int rows, int ins, int outs) {
  multiply({weight, outs, ins, false, false}, {in, rows, ins, false, false}, bias, out, false);
}

void Fp8Linear::grad_input(const Element* grad, const Element* weight, Element* grad_in, int rows,
                           int ins, int outs) {
  multiply({weight, outs, ins, true, false}, {grad, rows, outs, false, true}, nullptr, grad_in,
           false);
}

void Fp8Linear::grad_weight(const Element* grad, const Element* in, Element* grad_weight, int rows,
                            int ins, int outs, bool add) {
  multiply({in, rows, ins, true, false}, {grad, rows, outs, true, true}, nullptr, grad_weight, add);
}

void Fp8Linear::multiply(const Source& left, const Source& right, const Element* bias, Element* out,
                         bool add) {
  quantize(left, Operand::kLeft);
  quantize(right, Operand::kRight);
  LtProduct product;
  product.left_op = CUBLAS_OP_T;
  product.m = left.transposed ? left.cols : left.rows;
  product.n = right.transposed ? right.cols : right.rows;
  product.k = left.transposed ? left.rows : left.cols;
  product.left = copies_[0];
  product.left_type = CUDA_R_8F_E4M3;
  product.left_scale = scales_[0];
  product.right = copies_[1];
  product.right_type = right.is_gradient ? CUDA_R_8F_E5M2 : CUDA_R_8F_E4M3;
  product.right_scale = scales_[1];
  product.bias = bias;
  product.out = out;
  product.scale_of_out = add ? 1 : 0;
  lt_.multiply(product);
}

void Fp8Linear::quantize(const Source& source, Operand operand) {
  const auto at = static_cast<size_t>(operand);
  const size_t count = static_cast<size_t>(source.rows) * static_cast<size_t>(source.cols);
  auto* const bits = reinterpret_cast<int*>(scales_[at] + 1);
  CHECK_CUDA(cudaMemsetAsync(bits, 0, sizeof *bits, stream_));
  LAUNCH(largest_kernel, blocks_for(count), kBlock, 0, stream_, source.values, bits, count);
  const auto* const known = static_cast<const int*>(bits);
  if (source.is_gradient) {
    LAUNCH(quantize_kernel<__nv_fp8_e5m2>, blocks_for(count), kBlock, 0, stream_, source.values,
           known, kLargestE5m2, copies_[at], scales_[at], source.rows, source.cols,
           source.transposed);
  } else {
    LAUNCH(quantize_kernel<__nv_fp8_e4m3>, blocks_for(count), kBlock, 0, stream_, source.values,
           known, kLargestE4m3, copies_[at], scales_[at], source.rows, source.cols,
           source.transposed);
  }
}
