// The kernels of train_gpt that are not matrix products, on tensors of bf16 or float.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

#include <cstddef>

#include "words.hpp"

using bf16 = __nv_bfloat16;

// All enqueue on the given stream.
template <class Element>
class Kernels {
 public:
  explicit Kernels(cudaStream_t stream) : stream_(stream) {}

  void init_weights(Element* weights, float* master, size_t count, float scale);

  // Tokens of other words are 0: the sum over the ranks is the embedding.
  void embed(const int* tokens, const Element* table, Element* out, int rows, int hidden,
             Words words);
  // Adds into the table's gradient, which the caller has filled before.
  void embed_backward(const int* tokens, const Element* grad, Element* table_grad, int rows,
                      int hidden, Words words);

  void layer_norm(const Element* in, Element* out, int rows, int hidden);
  // grad_in = residual_grad + gradient of layer_norm at in; residual_grad may be null.
  void layer_norm_backward(const Element* in, const Element* grad, const Element* residual_grad,
                           Element* grad_in, int rows, int hidden);

  void gelu(const Element* in, Element* out, size_t count);
  void gelu_backward(const Element* in, const Element* grad, Element* grad_in, size_t count);
  // out[rows, cols] = a + b + bias[cols]
  void add(const Element* a, const Element* b, const Element* bias, Element* out, int rows,
           int cols);

  // [batch, seq, parts, heads, dim] to [parts, batch, heads, seq, dim]; parts is 3 for qkv, 1 for
  // one tensor.
  void split_heads(const Element* in, Element* out, int parts, int batch, int seq, int heads,
                   int dim);
  // The way back.
  void merge_heads(const Element* in, Element* out, int parts, int batch, int seq, int heads,
                   int dim);

  // Causal softmax over rows of length seq, in place; row i sees the first i % seq + 1 entries.
  void causal_softmax(Element* scores, int rows, int seq, float scale);
  // grad becomes the gradient before the softmax, in place.
  void causal_softmax_backward(const Element* probabilities, Element* grad, int rows, int seq,
                               float scale);

  void bias_gradient(const Element* grad, Element* bias_grad, int rows, int cols, bool add);

  // One fused Adam step over all weights.
  void adam(Element* weights, float* master, float* momentum, float* variance, const Element* grads,
            size_t count, int step);

 private:
  cudaStream_t stream_;
};
