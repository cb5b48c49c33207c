// The kernels of train_gpt that are not matrix products; all enqueue on the given stream.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

#include <cstddef>

using bf16 = __nv_bfloat16;

void init_weights(bf16* weights, float* master, size_t count, float scale, cudaStream_t stream);

void embed(const int* tokens, const bf16* table, bf16* out, int rows, int hidden,
           cudaStream_t stream);
// Adds into the table's gradient, which the caller has filled before.
void embed_backward(const int* tokens, const bf16* grad, bf16* table_grad, int rows, int hidden,
                    cudaStream_t stream);

void layer_norm(const bf16* in, bf16* out, int rows, int hidden, cudaStream_t stream);
// grad_in = residual_grad + gradient of layer_norm at in; residual_grad may be null.
void layer_norm_backward(const bf16* in, const bf16* grad, const bf16* residual_grad, bf16* grad_in,
                         int rows, int hidden, cudaStream_t stream);

void gelu(const bf16* in, bf16* out, size_t count, cudaStream_t stream);
void gelu_backward(const bf16* in, const bf16* grad, bf16* grad_in, size_t count,
                   cudaStream_t stream);
void add(const bf16* a, const bf16* b, bf16* out, size_t count, cudaStream_t stream);

// [batch, seq, 3, heads, dim] <-> [3, batch, heads, seq, dim]; parts is 3 for qkv, 1 for one
// tensor.
void split_heads(const bf16* in, bf16* out, int parts, int batch, int seq, int heads, int dim,
                 cudaStream_t stream);
void merge_heads(const bf16* in, bf16* out, int parts, int batch, int seq, int heads, int dim,
                 cudaStream_t stream);

// Causal softmax over rows of length seq, in place; row i sees the first i % seq + 1 entries.
void causal_softmax(bf16* scores, int rows, int seq, float scale, cudaStream_t stream);
// grad becomes the gradient before the softmax, in place.
void causal_softmax_backward(const bf16* probabilities, bf16* grad, int rows, int seq, float scale,
                             cudaStream_t stream);

// logits become their gradient, in place; the mean loss is added to *loss.
void cross_entropy(bf16* logits, const int* targets, float* loss, int rows, int vocab,
                   cudaStream_t stream);

void bias_gradient(const bf16* grad, bf16* bias_grad, int rows, int cols, bool add,
                   cudaStream_t stream);

// One fused Adam step over all weights.
void adam(bf16* weights, float* master, float* momentum, float* variance, const bf16* grads,
          size_t count, int step, cudaStream_t stream);
