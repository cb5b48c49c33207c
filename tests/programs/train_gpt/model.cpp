// See model.hpp.
#include "model.hpp"

#include <cmath>

#include "../support/check.hpp"

namespace {
constexpr int kFeedForward = 4;  // its width, in multiples of hidden
}

Model::Layer Model::place_layer(size_t offset) const {
  const auto h = static_cast<size_t>(options_.hidden);
  Layer layer{};
  layer.bucket.offset = offset;
  const auto take = [&](size_t count) {
    const size_t at = offset;
    offset += count;
    return at;
  };
  layer.qkv = take(3 * h * h);
  layer.qkv_bias = take(3 * h);
  layer.out = take(h * h);
  layer.out_bias = take(h);
  layer.up = take(kFeedForward * h * h);
  layer.up_bias = take(kFeedForward * h);
  layer.down = take(kFeedForward * h * h);
  layer.down_bias = take(h);
  layer.bucket.count = offset - layer.bucket.offset;
  return layer;
}

bf16* Model::allocate(size_t count) {
  void* memory = nullptr;
  CHECK_CUDA(cudaMalloc(&memory, count * sizeof(bf16)));
  allocations_.push_back(memory);
  return static_cast<bf16*>(memory);
}

Model::Model(const Options& options, cudaStream_t stream)
    : options_(options), stream_(stream), matrix_(stream) {
  const auto h = static_cast<size_t>(options.hidden);
  const auto rows = static_cast<size_t>(options.tokens());
  const size_t scores =
      rows * static_cast<size_t>(options.seq) * static_cast<size_t>(options.heads);
  embedding_ = {0, static_cast<size_t>(options.vocab) * h};
  weight_count_ = embedding_.count;
  for (int i = 0; i < options.layers; ++i) {
    layers_.push_back(place_layer(weight_count_));
    weight_count_ += layers_.back().bucket.count;
    kept_.push_back({allocate(rows * h), allocate(rows * h), allocate(3 * rows * h),
                     allocate(scores), allocate(rows * h), allocate(rows * h), allocate(rows * h),
                     allocate(kFeedForward * rows * h), allocate(kFeedForward * rows * h)});
  }
  weights_ = allocate(weight_count_);
  grads_ = allocate(weight_count_);
  master_ = reinterpret_cast<float*>(allocate(2 * weight_count_));
  momentum_ = reinterpret_cast<float*>(allocate(2 * weight_count_));
  variance_ = reinterpret_cast<float*>(allocate(2 * weight_count_));
  hidden_ = allocate(rows * h);
  final_norm_ = allocate(rows * h);
  logits_ = allocate(rows * static_cast<size_t>(options.vocab));
  scratch_ = allocate(3 * rows * h);
  grad_ = allocate(rows * h);
  grad_small_ = allocate(rows * h);
  grad_wide_ = allocate(kFeedForward * rows * h);
  grad_heads_ = allocate(3 * rows * h);
  grad_scores_ = allocate(scores);
  CHECK_CUDA(cudaMemsetAsync(momentum_, 0, weight_count_ * sizeof(float), stream));
  CHECK_CUDA(cudaMemsetAsync(variance_, 0, weight_count_ * sizeof(float), stream));
  init_weights(weights_, master_, weight_count_, 1 / std::sqrt(static_cast<float>(h)), stream);
}

Model::~Model() {
  for (void* memory : allocations_) cudaFree(memory);
}

void Model::forward(const int* tokens) {
  const int rows = options_.tokens(), h = options_.hidden;
  embed(tokens, weights_, kept_.front().in, rows, h, stream_);
  for (size_t i = 0; i < layers_.size(); ++i) {
    forward_layer(layers_[i], kept_[i], i + 1 < layers_.size() ? kept_[i + 1].in : hidden_);
  }
  layer_norm(hidden_, final_norm_, rows, h, stream_);
  matrix_.linear(final_norm_, weights_, logits_, rows, h, options_.vocab);
}

void Model::forward_layer(const Layer& layer, const Kept& kept, bf16* out) {
  const int rows = options_.tokens(), h = options_.hidden, wide = kFeedForward * h;
  const int seq = options_.seq, dim = options_.head_dim(), heads = options_.batch * options_.heads;
  const size_t size = static_cast<size_t>(rows) * static_cast<size_t>(h);
  layer_norm(kept.in, kept.norm1, rows, h, stream_);
  matrix_.linear(kept.norm1, weights_ + layer.qkv, weights_ + layer.qkv_bias, scratch_, rows, h,
                 3 * h);
  split_heads(scratch_, kept.qkv, 3, options_.batch, seq, options_.heads, dim, stream_);
  matrix_.heads_xyt(kept.qkv, kept.qkv + size, kept.probabilities, heads, seq, seq, dim);
  causal_softmax(kept.probabilities, heads * seq, seq, 1 / std::sqrt(static_cast<float>(dim)),
                 stream_);
  matrix_.heads_xy(kept.probabilities, kept.qkv + 2 * size, scratch_, heads, seq, dim, seq);
  merge_heads(scratch_, kept.context, 1, options_.batch, seq, options_.heads, dim, stream_);
  matrix_.linear(kept.context, weights_ + layer.out, weights_ + layer.out_bias, scratch_, rows, h,
                 h);
  add(kept.in, scratch_, kept.middle, size, stream_);

  layer_norm(kept.middle, kept.norm2, rows, h, stream_);
  matrix_.linear(kept.norm2, weights_ + layer.up, weights_ + layer.up_bias, kept.up, rows, h, wide);
  gelu(kept.up, kept.gelu, kFeedForward * size, stream_);
  matrix_.linear(kept.gelu, weights_ + layer.down, weights_ + layer.down_bias, scratch_, rows, wide,
                 h);
  add(kept.middle, scratch_, out, size, stream_);
}

void Model::backward(const int* tokens, const int* targets, float* loss, bool add,
                     const std::function<void(Bucket)>& finished) {
  add_grads_ = add;
  const int rows = options_.tokens(), h = options_.hidden;
  cross_entropy(logits_, targets, loss, rows, options_.vocab, stream_);
  matrix_.linear_grad_weight(logits_, final_norm_, grads_, rows, h, options_.vocab, add);
  matrix_.linear_grad_input(logits_, weights_, grad_small_, rows, h, options_.vocab);
  layer_norm_backward(hidden_, grad_small_, nullptr, grad_, rows, h, stream_);
  for (size_t i = layers_.size(); i-- > 0;) {
    if (options_.recompute != 0) {
      forward_layer(layers_[i], kept_[i], i + 1 < layers_.size() ? kept_[i + 1].in : hidden_);
    }
    backward_layer(layers_[i], kept_[i]);
    finished(layers_[i].bucket);
  }
  embed_backward(tokens, grad_, grads_, rows, h, stream_);
  finished(embedding_);
}

// Leaves the gradient of the layer's input in grad_, where that of its output was.
void Model::backward_layer(const Layer& layer, const Kept& kept) {
  const int rows = options_.tokens(), h = options_.hidden, wide = kFeedForward * h;
  const int seq = options_.seq, dim = options_.head_dim(), heads = options_.batch * options_.heads;
  const size_t size = static_cast<size_t>(rows) * static_cast<size_t>(h);
  backward_linear(grad_, kept.gelu, layer.down, layer.down_bias, grad_wide_, wide, h);
  gelu_backward(kept.up, grad_wide_, grad_wide_, kFeedForward * size, stream_);
  backward_linear(grad_wide_, kept.norm2, layer.up, layer.up_bias, grad_small_, h, wide);
  layer_norm_backward(kept.middle, grad_small_, grad_, grad_, rows, h, stream_);

  backward_linear(grad_, kept.context, layer.out, layer.out_bias, grad_small_, h, h);
  split_heads(grad_small_, scratch_, 1, options_.batch, seq, options_.heads, dim, stream_);
  const bf16 *q = kept.qkv, *k = kept.qkv + size, *v = kept.qkv + 2 * size;
  matrix_.heads_xyt(scratch_, v, grad_scores_, heads, seq, seq, dim);
  matrix_.heads_xty(kept.probabilities, scratch_, grad_heads_ + 2 * size, heads, seq, dim, seq);
  causal_softmax_backward(kept.probabilities, grad_scores_, heads * seq, seq,
                          1 / std::sqrt(static_cast<float>(dim)), stream_);
  matrix_.heads_xy(grad_scores_, k, grad_heads_, heads, seq, dim, seq);
  matrix_.heads_xty(grad_scores_, q, grad_heads_ + size, heads, seq, dim, seq);
  merge_heads(grad_heads_, scratch_, 3, options_.batch, seq, options_.heads, dim, stream_);
  backward_linear(scratch_, kept.norm1, layer.qkv, layer.qkv_bias, grad_small_, h, 3 * h);
  layer_norm_backward(kept.in, grad_small_, grad_, grad_, rows, h, stream_);
}

void Model::backward_linear(const bf16* grad, const bf16* in, size_t weight, size_t bias,
                            bf16* grad_in, int ins, int outs) {
  const int rows = options_.tokens();
  matrix_.linear_grad_weight(grad, in, grads_ + weight, rows, ins, outs, add_grads_);
  bias_gradient(grad, grads_ + bias, rows, outs, add_grads_, stream_);
  matrix_.linear_grad_input(grad, weights_ + weight, grad_in, rows, ins, outs);
}

void Model::optimizer_step(int step) {
  adam(weights_, master_, momentum_, variance_, grads_, weight_count_, step, stream_);
}
