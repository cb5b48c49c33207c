// Linear products on 8-bit copies with a scale each, as fp8 training does: e4m3 forward, e5m2 for
// gradients, results in the tensors' own type.
#pragma once

#include <cuda_bf16.h>

#include "linear.hpp"
#include "lt.hpp"

class Fp8Linear : public Linear<__nv_bfloat16> {
 public:
  using Element = __nv_bfloat16;

  // Room for operands of up to so many elements.
  Fp8Linear(cudaStream_t stream, size_t largest);
  ~Fp8Linear() override;
  Fp8Linear(const Fp8Linear&) = delete;
  Fp8Linear& operator=(const Fp8Linear&) = delete;

  void forward(const Element* in, const Element* weight, const Element* bias, Element* out,
               int rows, int ins, int outs) override;
  void grad_input(const Element* grad, const Element* weight, Element* grad_in, int rows, int ins,
                  int outs) override;
  void grad_weight(const Element* grad, const Element* in, Element* grad_weight, int rows, int ins,
                   int outs, bool add) override;

 private:
  enum class Operand { kLeft, kRight };
  struct Source {
    const Element* values;
    int rows, cols;
    bool transposed;   // multiply by the transposed copy
    bool is_gradient;  // needs more range than precision
  };

  // Tensor cores take 8-bit operands in one layout only: both are copied so that k runs fastest.
  void multiply(const Source& left, const Source& right, const Element* bias, Element* out,
                bool add);
  void quantize(const Source& source, Operand operand);

  cudaStream_t stream_;
  Lt lt_;
  unsigned char* copies_[2] = {};
  float* scales_[2] = {};  // what a copy is to be multiplied with
};
