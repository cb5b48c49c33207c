// See kernels.hpp. Plain kernels, right on a real GPU, of the kind and number a framework launches.
#include "kernels.hpp"

#include <cmath>

#include "block.hpp"

namespace train_gpt {

template <class Element>
__global__ void init_weights_kernel(Element* weights, float* master, size_t count, float scale) {
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

template <class Element>
__global__ void embed_kernel(const int* tokens, const Element* table, Element* out, int hidden,
                             Words words) {
  const size_t row = blockIdx.x;
  const int word = tokens[row] - words.first;
  const bool ours = word >= 0 && word < words.count;
  const size_t from = ours ? static_cast<size_t>(word) * hidden : 0;
  for (int i = threadIdx.x; i < hidden; i += blockDim.x) {
    store(out, row * hidden + i, ours ? load(table, from + i) : 0);
  }
}

template <class Element>
__global__ void embed_backward_kernel(const int* tokens, const Element* grad, Element* table_grad,
                                      int hidden, Words words) {
  const size_t row = blockIdx.x;
  const int word = tokens[row] - words.first;
  if (word < 0 || word >= words.count) return;
  const size_t to = static_cast<size_t>(word) * hidden;
  for (int i = threadIdx.x; i < hidden; i += blockDim.x) {
    atomicAdd(&table_grad[to + i], grad[row * hidden + i]);
  }
}

template <class Element>
__global__ void layer_norm_kernel(const Element* in, Element* out, int hidden) {
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

template <class Element>
__global__ void layer_norm_backward_kernel(const Element* in, const Element* grad,
                                           const Element* residual_grad, Element* grad_in,
                                           int hidden) {
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

template <class Element>
__global__ void gelu_kernel(const Element* in, Element* out, size_t count) {
  for (size_t i = first_of_thread(), end = i + kPerThread; i < end && i < count; ++i) {
    const float x = load(in, i);
    store(out, i, 0.5F * x * (1 + tanhf(gelu_inner(x))));
  }
}

template <class Element>
__global__ void gelu_backward_kernel(const Element* in, const Element* grad, Element* grad_in,
                                     size_t count) {
  for (size_t i = first_of_thread(), end = i + kPerThread; i < end && i < count; ++i) {
    const float x = load(in, i);
    const float t = tanhf(gelu_inner(x));
    const float inner = 0.7978846F * (1 + 3 * 0.044715F * x * x);
    store(grad_in, i, load(grad, i) * (0.5F * (1 + t) + 0.5F * x * (1 - t * t) * inner));
  }
}

template <class Element>
__global__ void add_kernel(const Element* a, const Element* b, const Element* bias, Element* out,
                           int cols, size_t count) {
  for (size_t i = first_of_thread(), end = i + kPerThread; i < end && i < count; ++i) {
    store(out, i, load(a, i) + load(b, i) + load(bias, i % cols));
  }
}

// to_heads: [batch, seq, parts, heads, dim] to [parts, batch, heads, seq, dim]; else the way back.
template <class Element>
__global__ void permute_heads_kernel(const Element* in, Element* out, int parts, int batch, int seq,
                                     int heads, int dim, bool to_heads) {
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

template <class Element>
__global__ void causal_softmax_kernel(Element* scores, int seq, float scale) {
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

template <class Element>
__global__ void causal_softmax_backward_kernel(const Element* probabilities, Element* grad, int seq,
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

template <class Element>
__global__ void bias_gradient_kernel(const Element* grad, Element* bias_grad, int rows, int cols,
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

template <class Element>
__global__ void adam_kernel(Element* weights, float* master, float* momentum, float* variance,
                            const Element* grads, size_t count, float rate, float correction1,
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

template <class Element>
void Kernels<Element>::init_weights(Element* weights, float* master, size_t count, float scale) {
  LAUNCH(init_weights_kernel<Element>, blocks_for(count), kBlock, 0, stream_, weights, master,
         count, scale);
}

template <class Element>
void Kernels<Element>::embed(const int* tokens, const Element* table, Element* out, int rows,
                             int hidden, Words words) {
  LAUNCH(embed_kernel<Element>, rows, kBlock, 0, stream_, tokens, table, out, hidden, words);
}

template <class Element>
void Kernels<Element>::embed_backward(const int* tokens, const Element* grad, Element* table_grad,
                                      int rows, int hidden, Words words) {
  LAUNCH(embed_backward_kernel<Element>, rows, kBlock, 0, stream_, tokens, grad, table_grad, hidden,
         words);
}

template <class Element>
void Kernels<Element>::layer_norm(const Element* in, Element* out, int rows, int hidden) {
  LAUNCH(layer_norm_kernel<Element>, rows, kBlock, 0, stream_, in, out, hidden);
}

template <class Element>
void Kernels<Element>::layer_norm_backward(const Element* in, const Element* grad,
                                           const Element* residual_grad, Element* grad_in, int rows,
                                           int hidden) {
  LAUNCH(layer_norm_backward_kernel<Element>, rows, kBlock, 0, stream_, in, grad, residual_grad,
         grad_in, hidden);
}

template <class Element>
void Kernels<Element>::gelu(const Element* in, Element* out, size_t count) {
  LAUNCH(gelu_kernel<Element>, blocks_for(count), kBlock, 0, stream_, in, out, count);
}

template <class Element>
void Kernels<Element>::gelu_backward(const Element* in, const Element* grad, Element* grad_in,
                                     size_t count) {
  LAUNCH(gelu_backward_kernel<Element>, blocks_for(count), kBlock, 0, stream_, in, grad, grad_in,
         count);
}

template <class Element>
void Kernels<Element>::add(const Element* a, const Element* b, const Element* bias, Element* out,
                           int rows, int cols) {
  const size_t count = static_cast<size_t>(rows) * static_cast<size_t>(cols);
  LAUNCH(add_kernel<Element>, blocks_for(count), kBlock, 0, stream_, a, b, bias, out, cols, count);
}

template <class Element>
void Kernels<Element>::split_heads(const Element* in, Element* out, int parts, int batch, int seq,
                                   int heads, int dim) {
  const size_t count = static_cast<size_t>(parts) * batch * seq * heads * dim;
  LAUNCH(permute_heads_kernel<Element>, blocks_for(count), kBlock, 0, stream_, in, out, parts,
         batch, seq, heads, dim, true);
}

template <class Element>
void Kernels<Element>::merge_heads(const Element* in, Element* out, int parts, int batch, int seq,
                                   int heads, int dim) {
  const size_t count = static_cast<size_t>(parts) * batch * seq * heads * dim;
  LAUNCH(permute_heads_kernel<Element>, blocks_for(count), kBlock, 0, stream_, in, out, parts,
         batch, seq, heads, dim, false);
}

template <class Element>
void Kernels<Element>::causal_softmax(Element* scores, int rows, int seq, float scale) {
  LAUNCH(causal_softmax_kernel<Element>, rows, kBlock, 0, stream_, scores, seq, scale);
}

template <class Element>
void Kernels<Element>::causal_softmax_backward(const Element* probabilities, Element* grad,
                                               int rows, int seq, float scale) {
  LAUNCH(causal_softmax_backward_kernel<Element>, rows, kBlock, 0, stream_, probabilities, grad,
         seq, scale);
}

template <class Element>
void Kernels<Element>::bias_gradient(const Element* grad, Element* bias_grad, int rows, int cols,
                                     bool add) {
  LAUNCH(bias_gradient_kernel<Element>, cols, kBlock, 0, stream_, grad, bias_grad, rows, cols, add);
}

template <class Element>
void Kernels<Element>::adam(Element* weights, float* master, float* momentum, float* variance,
                            const Element* grads, size_t count, int step) {
  const auto steps = static_cast<float>(step);
  LAUNCH(adam_kernel<Element>, blocks_for(count), kBlock, 0, stream_, weights, master, momentum,
         variance, grads, count, 1e-4F, 1 - powf(0.9F, steps), 1 - powf(0.95F, steps));
}

template class Kernels<bf16>;
template class Kernels<float>;
