// See kernels.hpp. Plain kernels, right on a real GPU, of the kind and number a framework launches.
#include "kernels.hpp"

#include <cmath>

#include "../support/launch.hpp"

// Not anonymous: a kernel's name must be the linker's where nvcc did not register it.
namespace train_gpt {

constexpr int kBlock = 256;
constexpr int kPerThread = 4;

__device__ float load(const bf16* from, size_t i) {
  return __bfloat162float(from[i]);
}
__device__ void store(bf16* to, size_t i, float value) {
  to[i] = __float2bfloat16(value);
}

__device__ size_t first_of_thread() {
  return (static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x) * kPerThread;
}

unsigned blocks_for(size_t count) {
  return static_cast<unsigned>((count + kBlock * kPerThread - 1) / (kBlock * kPerThread));
}

// Sum over the block, the same on every thread.
__device__ float block_sum(float value, float* shared) {
  __syncthreads();
  shared[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = kBlock / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  return shared[0];
}

__device__ float block_max(float value, float* shared) {
  __syncthreads();
  shared[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = kBlock / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      shared[threadIdx.x] = fmaxf(shared[threadIdx.x], shared[threadIdx.x + half]);
    }
    __syncthreads();
  }
  return shared[0];
}

__global__ void init_weights_kernel(bf16* weights, float* master, size_t count, float scale) {
  for (size_t i = first_of_thread(), end = i + kPerThread; i < end && i < count; ++i) {
    unsigned hash = static_cast<unsigned>(i) * 2654435761U;
    hash ^= hash >> 15;
    hash *= 2246822519U;
    hash ^= hash >> 13;
    const float value = (static_cast<float>(hash) / 4294967296.0F - 0.5F) * scale;
    master[i] = value;
    store(weights, i, value);
  }
}

__global__ void embed_kernel(const int* tokens, const bf16* table, bf16* out, int hidden) {
  const size_t row = blockIdx.x;
  const size_t from = static_cast<size_t>(tokens[row]) * hidden;
  for (int i = threadIdx.x; i < hidden; i += blockDim.x) out[row * hidden + i] = table[from + i];
}

__global__ void embed_backward_kernel(const int* tokens, const bf16* grad, bf16* table_grad,
                                      int hidden) {
  const size_t row = blockIdx.x;
  const size_t to = static_cast<size_t>(tokens[row]) * hidden;
  for (int i = threadIdx.x; i < hidden; i += blockDim.x) {
    atomicAdd(&table_grad[to + i], grad[row * hidden + i]);
  }
}

__global__ void layer_norm_kernel(const bf16* in, bf16* out, int hidden) {
  __shared__ float shared[kBlock];
  const size_t row = static_cast<size_t>(blockIdx.x) * hidden;
  const auto size = static_cast<float>(hidden);
  float sum = 0, squares = 0;
  for (int i = threadIdx.x; i < hidden; i += blockDim.x) {
    const float x = load(in, row + i);
    sum += x;
    squares += x * x;
  }
  const float mean = block_sum(sum, shared) / size;
  const float variance = block_sum(squares, shared) / size - mean * mean;
  const float inverse = 1 / sqrtf(variance + 1e-5F);
  for (int i = threadIdx.x; i < hidden; i += blockDim.x) {
    store(out, row + i, (load(in, row + i) - mean) * inverse);
  }
}

__global__ void layer_norm_backward_kernel(const bf16* in, const bf16* grad,
                                           const bf16* residual_grad, bf16* grad_in, int hidden) {
  __shared__ float shared[kBlock];
  const size_t row = static_cast<size_t>(blockIdx.x) * hidden;
  const auto size = static_cast<float>(hidden);
  float sum = 0, squares = 0;
  for (int i = threadIdx.x; i < hidden; i += blockDim.x) {
    const float x = load(in, row + i);
    sum += x;
    squares += x * x;
  }
  const float mean = block_sum(sum, shared) / size;
  const float inverse = 1 / sqrtf(block_sum(squares, shared) / size - mean * mean + 1e-5F);
  float grad_sum = 0, grad_dot = 0;
  for (int i = threadIdx.x; i < hidden; i += blockDim.x) {
    const float normal = (load(in, row + i) - mean) * inverse;
    grad_sum += load(grad, row + i);
    grad_dot += load(grad, row + i) * normal;
  }
  const float mean_grad = block_sum(grad_sum, shared) / size;
  const float mean_dot = block_sum(grad_dot, shared) / size;
  for (int i = threadIdx.x; i < hidden; i += blockDim.x) {
    const float normal = (load(in, row + i) - mean) * inverse;
    const float through = residual_grad != nullptr ? load(residual_grad, row + i) : 0;
    store(grad_in, row + i,
          through + (load(grad, row + i) - mean_grad - normal * mean_dot) * inverse);
  }
}

// tanh form, as GPT-2 has it.
__device__ float gelu_inner(float x) {
  return 0.7978846F * (x + 0.044715F * x * x * x);
}

__global__ void gelu_kernel(const bf16* in, bf16* out, size_t count) {
  for (size_t i = first_of_thread(), end = i + kPerThread; i < end && i < count; ++i) {
    const float x = load(in, i);
    store(out, i, 0.5F * x * (1 + tanhf(gelu_inner(x))));
  }
}

__global__ void gelu_backward_kernel(const bf16* in, const bf16* grad, bf16* grad_in,
                                     size_t count) {
  for (size_t i = first_of_thread(), end = i + kPerThread; i < end && i < count; ++i) {
    const float x = load(in, i);
    const float t = tanhf(gelu_inner(x));
    const float inner = 0.7978846F * (1 + 3 * 0.044715F * x * x);
    store(grad_in, i, load(grad, i) * (0.5F * (1 + t) + 0.5F * x * (1 - t * t) * inner));
  }
}

__global__ void add_kernel(const bf16* a, const bf16* b, bf16* out, size_t count) {
  for (size_t i = first_of_thread(), end = i + kPerThread; i < end && i < count; ++i) {
    store(out, i, load(a, i) + load(b, i));
  }
}

// to_heads: [batch, seq, parts, heads, dim] to [parts, batch, heads, seq, dim]; else the way back.
template <bool to_heads>
__global__ void permute_heads_kernel(const bf16* in, bf16* out, int parts, int batch, int seq,
                                     int heads, int dim) {
  const size_t count = static_cast<size_t>(parts) * batch * seq * heads * dim;
  for (size_t i = first_of_thread(), end = i + kPerThread; i < end && i < count; ++i) {
    size_t rest = i;
    const size_t d = rest % dim;
    const size_t h = (rest /= dim) % heads;
    const size_t part = (rest /= heads) % parts;
    const size_t s = (rest /= parts) % seq;
    const size_t b = rest / seq;
    const size_t there = (((part * batch + b) * heads + h) * seq + s) * dim + d;
    if (to_heads) {
      out[there] = in[i];
    } else {
      out[i] = in[there];
    }
  }
}

__global__ void causal_softmax_kernel(bf16* scores, int seq, float scale) {
  __shared__ float shared[kBlock];
  const size_t row = static_cast<size_t>(blockIdx.x) * seq;
  const int visible = static_cast<int>(blockIdx.x % seq) + 1;
  float top = -INFINITY;
  for (int i = threadIdx.x; i < visible; i += blockDim.x) {
    top = fmaxf(top, load(scores, row + i) * scale);
  }
  top = block_max(top, shared);
  float sum = 0;
  for (int i = threadIdx.x; i < visible; i += blockDim.x) {
    sum += expf(load(scores, row + i) * scale - top);
  }
  sum = block_sum(sum, shared);
  for (int i = threadIdx.x; i < seq; i += blockDim.x) {
    store(scores, row + i, i < visible ? expf(load(scores, row + i) * scale - top) / sum : 0);
  }
}

__global__ void causal_softmax_backward_kernel(const bf16* probabilities, bf16* grad, int seq,
                                               float scale) {
  __shared__ float shared[kBlock];
  const size_t row = static_cast<size_t>(blockIdx.x) * seq;
  float dot = 0;
  for (int i = threadIdx.x; i < seq; i += blockDim.x) {
    dot += load(probabilities, row + i) * load(grad, row + i);
  }
  dot = block_sum(dot, shared);
  for (int i = threadIdx.x; i < seq; i += blockDim.x) {
    store(grad, row + i, load(probabilities, row + i) * (load(grad, row + i) - dot) * scale);
  }
}

__global__ void cross_entropy_kernel(bf16* logits, const int* targets, float* loss, int rows,
                                     int vocab) {
  __shared__ float shared[kBlock];
  const size_t row = static_cast<size_t>(blockIdx.x) * vocab;
  const int target = targets[blockIdx.x];
  const auto count = static_cast<float>(rows);
  float top = -INFINITY;
  for (int i = threadIdx.x; i < vocab; i += blockDim.x) top = fmaxf(top, load(logits, row + i));
  top = block_max(top, shared);
  float sum = 0;
  for (int i = threadIdx.x; i < vocab; i += blockDim.x) sum += expf(load(logits, row + i) - top);
  sum = block_sum(sum, shared);
  if (threadIdx.x == 0) {
    atomicAdd(loss, (logf(sum) + top - load(logits, row + target)) / count);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < vocab; i += blockDim.x) {
    const float probability = expf(load(logits, row + i) - top) / sum;
    store(logits, row + i, (probability - (i == target ? 1.0F : 0.0F)) / count);
  }
}

__global__ void bias_gradient_kernel(const bf16* grad, bf16* bias_grad, int rows, int cols,
                                     bool add) {
  __shared__ float shared[kBlock];
  float sum = 0;
  for (int row = threadIdx.x; row < rows; row += blockDim.x) {
    sum += load(grad, static_cast<size_t>(row) * cols + blockIdx.x);
  }
  sum = block_sum(sum, shared);
  if (threadIdx.x != 0) return;
  store(bias_grad, blockIdx.x, sum + (add ? load(bias_grad, blockIdx.x) : 0));
}

__global__ void adam_kernel(bf16* weights, float* master, float* momentum, float* variance,
                            const bf16* grads, size_t count, float rate, float correction1,
                            float correction2) {
  for (size_t i = first_of_thread(), end = i + kPerThread; i < end && i < count; ++i) {
    const float g = load(grads, i);
    const float m = momentum[i] = 0.9F * momentum[i] + 0.1F * g;
    const float v = variance[i] = 0.95F * variance[i] + 0.05F * g * g;
    master[i] -= rate * (m / correction1) / (sqrtf(v / correction2) + 1e-8F);
    store(weights, i, master[i]);
  }
}

}  // namespace train_gpt

using namespace train_gpt;

void init_weights(bf16* weights, float* master, size_t count, float scale, cudaStream_t stream) {
  LAUNCH(init_weights_kernel, blocks_for(count), kBlock, 0, stream, weights, master, count, scale);
}

void embed(const int* tokens, const bf16* table, bf16* out, int rows, int hidden,
           cudaStream_t stream) {
  LAUNCH(embed_kernel, rows, kBlock, 0, stream, tokens, table, out, hidden);
}

void embed_backward(const int* tokens, const bf16* grad, bf16* table_grad, int rows, int hidden,
                    cudaStream_t stream) {
  LAUNCH(embed_backward_kernel, rows, kBlock, 0, stream, tokens, grad, table_grad, hidden);
}

void layer_norm(const bf16* in, bf16* out, int rows, int hidden, cudaStream_t stream) {
  LAUNCH(layer_norm_kernel, rows, kBlock, 0, stream, in, out, hidden);
}

void layer_norm_backward(const bf16* in, const bf16* grad, const bf16* residual_grad, bf16* grad_in,
                         int rows, int hidden, cudaStream_t stream) {
  LAUNCH(layer_norm_backward_kernel, rows, kBlock, 0, stream, in, grad, residual_grad, grad_in,
         hidden);
}

void gelu(const bf16* in, bf16* out, size_t count, cudaStream_t stream) {
  LAUNCH(gelu_kernel, blocks_for(count), kBlock, 0, stream, in, out, count);
}

void gelu_backward(const bf16* in, const bf16* grad, bf16* grad_in, size_t count,
                   cudaStream_t stream) {
  LAUNCH(gelu_backward_kernel, blocks_for(count), kBlock, 0, stream, in, grad, grad_in, count);
}

void add(const bf16* a, const bf16* b, bf16* out, size_t count, cudaStream_t stream) {
  LAUNCH(add_kernel, blocks_for(count), kBlock, 0, stream, a, b, out, count);
}

void split_heads(const bf16* in, bf16* out, int parts, int batch, int seq, int heads, int dim,
                 cudaStream_t stream) {
  const size_t count = static_cast<size_t>(parts) * batch * seq * heads * dim;
  LAUNCH(permute_heads_kernel<true>, blocks_for(count), kBlock, 0, stream, in, out, parts, batch,
         seq, heads, dim);
}

void merge_heads(const bf16* in, bf16* out, int parts, int batch, int seq, int heads, int dim,
                 cudaStream_t stream) {
  const size_t count = static_cast<size_t>(parts) * batch * seq * heads * dim;
  LAUNCH(permute_heads_kernel<false>, blocks_for(count), kBlock, 0, stream, in, out, parts, batch,
         seq, heads, dim);
}

void causal_softmax(bf16* scores, int rows, int seq, float scale, cudaStream_t stream) {
  LAUNCH(causal_softmax_kernel, rows, kBlock, 0, stream, scores, seq, scale);
}

void causal_softmax_backward(const bf16* probabilities, bf16* grad, int rows, int seq, float scale,
                             cudaStream_t stream) {
  LAUNCH(causal_softmax_backward_kernel, rows, kBlock, 0, stream, probabilities, grad, seq, scale);
}

void cross_entropy(bf16* logits, const int* targets, float* loss, int rows, int vocab,
                   cudaStream_t stream) {
  LAUNCH(cross_entropy_kernel, rows, kBlock, 0, stream, logits, targets, loss, rows, vocab);
}

void bias_gradient(const bf16* grad, bf16* bias_grad, int rows, int cols, bool add,
                   cudaStream_t stream) {
  LAUNCH(bias_gradient_kernel, cols, kBlock, 0, stream, grad, bias_grad, rows, cols, add);
}

void adam(bf16* weights, float* master, float* momentum, float* variance, const bf16* grads,
          size_t count, int step, cudaStream_t stream) {
  const auto steps = static_cast<float>(step);
  LAUNCH(adam_kernel, blocks_for(count), kBlock, 0, stream, weights, master, momentum, variance,
         grads, count, 1e-4F, 1 - powf(0.9F, steps), 1 - powf(0.95F, steps));
}
