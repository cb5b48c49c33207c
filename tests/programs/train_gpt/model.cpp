// See model.hpp. Shares of weights are taken as Megatron-LM takes them: the products that widen are
// divided by columns, those that narrow by rows, so that each pair needs one sum forward and one
// backward.
#include "model.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "../support/check.hpp"
#include "fp8.hpp"

namespace {

constexpr int kFeedForward = 4;  // its width, in multiples of hidden

template <class Element>
std::unique_ptr<Linear<Element>> make_fp8(const Options& options, cudaStream_t stream) {
  if constexpr (std::is_same_v<Element, Fp8Linear::Element>) {
    const auto wide = static_cast<size_t>(kFeedForward) * static_cast<size_t>(options.hidden);
    const auto longest = static_cast<size_t>(std::max(options.tokens(), options.hidden));
    if (options.precision == Precision::kFp8)
      return std::make_unique<Fp8Linear>(stream, wide * longest);
  }
  return nullptr;
}

}  // namespace

template <class Element>
int Model<Element>::local_wide() const {
  return kFeedForward * options_.local_hidden();
}

template <class Element>
typename Model<Element>::Layer Model<Element>::place_layer(size_t offset) const {
  const auto h = static_cast<size_t>(options_.hidden);
  const auto local = static_cast<size_t>(options_.local_hidden());
  const auto wide = static_cast<size_t>(local_wide());
  Layer layer{};
  layer.bucket.offset = offset;
  const auto take = [&](size_t count) {
    const size_t at = offset;
    offset += count;
    return at;
  };
  layer.qkv = take(3 * local * h);
  layer.qkv_bias = take(3 * local);
  layer.out = take(h * local);
  layer.out_bias = take(h);
  layer.up = take(wide * h);
  layer.up_bias = take(wide);
  layer.down = take(h * wide);
  layer.down_bias = take(h);
  layer.bucket.count = offset - layer.bucket.offset;
  return layer;
}

template <class Element>
template <class T>
T* Model<Element>::allocate(size_t count) {
  void* memory = nullptr;
  CHECK_CUDA(cudaMalloc(&memory, count * sizeof(T)));
  allocations_.push_back(memory);
  return static_cast<T*>(memory);
}

template <class Element>
Model<Element>::Model(const Options& options, const Groups& groups, cudaStream_t stream)
    : options_(options),
      words_{groups.share() * options.local_vocab(), options.local_vocab()},
      size_(static_cast<size_t>(options.tokens()) * static_cast<size_t>(options.hidden)),
      stream_(stream),
      kernels_(stream),
      loss_(stream),
      matrix_(stream, options.precision == Precision::kTf32),
      fp8_(make_fp8<Element>(options, stream)),
      linear_(fp8_ ? *fp8_ : matrix_),
      exchange_(groups.sharers(), stream) {
  const auto rows = static_cast<size_t>(options.tokens());
  const size_t local = rows * static_cast<size_t>(options.local_hidden());
  const size_t wide = rows * static_cast<size_t>(local_wide());
  const size_t scores =
      rows * static_cast<size_t>(options.seq) * static_cast<size_t>(options.local_heads());
  embedding_ = {0, static_cast<size_t>(words_.count) * static_cast<size_t>(options.hidden)};
  weight_count_ = embedding_.count;
  for (int i = 0; i < options.layers; ++i) {
    layers_.push_back(place_layer(weight_count_));
    weight_count_ += layers_.back().bucket.count;
    kept_.push_back({allocate<Element>(size_), allocate<Element>(size_),
                     allocate<Element>(3 * local), allocate<Element>(scores),
                     allocate<Element>(local), allocate<Element>(size_), allocate<Element>(size_),
                     allocate<Element>(wide), allocate<Element>(wide)});
  }
  weights_ = allocate<Element>(weight_count_);
  grads_ = allocate<Element>(weight_count_);
  master_ = allocate<float>(weight_count_);
  momentum_ = allocate<float>(weight_count_);
  variance_ = allocate<float>(weight_count_);
  hidden_ = allocate<Element>(size_);
  final_norm_ = allocate<Element>(size_);
  logits_ = allocate<Element>(rows * static_cast<size_t>(words_.count));
  logit_max_ = allocate<float>(rows);
  logit_sums_ = allocate<float>(2 * rows);
  scratch_ = allocate<Element>(3 * size_);
  grad_ = allocate<Element>(size_);
  grad_small_ = allocate<Element>(size_);
  grad_wide_ = allocate<Element>(wide);
  grad_heads_ = allocate<Element>(3 * local);
  grad_scores_ = allocate<Element>(scores);
  CHECK_CUDA(cudaMemsetAsync(momentum_, 0, weight_count_ * sizeof(float), stream));
  CHECK_CUDA(cudaMemsetAsync(variance_, 0, weight_count_ * sizeof(float), stream));
  kernels_.init_weights(weights_, master_, weight_count_,
                        1 / std::sqrt(static_cast<float>(options.hidden)));
}

template <class Element>
Model<Element>::~Model() {
  for (void* memory : allocations_) cudaFree(memory);
}

template <class Element>
void Model<Element>::forward(const int* tokens) {
  const int rows = options_.tokens(), h = options_.hidden;
  kernels_.embed(tokens, weights_, kept_.front().in, rows, h, words_);
  exchange_.sum(kept_.front().in, size_);
  for (size_t i = 0; i < layers_.size(); ++i) {
    forward_layer(layers_[i], kept_[i], i + 1 < layers_.size() ? kept_[i + 1].in : hidden_);
  }
  kernels_.layer_norm(hidden_, final_norm_, rows, h);
  matrix_.forward(final_norm_, weights_, nullptr, logits_, rows, h, words_.count);
}

template <class Element>
void Model<Element>::forward_layer(const Layer& layer, const Kept& kept, Element* out) {
  const int rows = options_.tokens(), h = options_.hidden, wide = local_wide();
  const int local = options_.local_hidden(), local_heads = options_.local_heads();
  const int seq = options_.seq, dim = options_.head_dim(), heads = options_.batch * local_heads;
  const size_t part = static_cast<size_t>(rows) * static_cast<size_t>(local);
  kernels_.layer_norm(kept.in, kept.norm1, rows, h);
  linear_.forward(kept.norm1, weights_ + layer.qkv, weights_ + layer.qkv_bias, scratch_, rows, h,
                  3 * local);
  kernels_.split_heads(scratch_, kept.qkv, 3, options_.batch, seq, local_heads, dim);
  matrix_.heads_xyt(kept.qkv, kept.qkv + part, kept.probabilities, heads, seq, seq, dim);
  kernels_.causal_softmax(kept.probabilities, heads * seq, seq,
                          1 / std::sqrt(static_cast<float>(dim)));
  matrix_.heads_xy(kept.probabilities, kept.qkv + 2 * part, scratch_, heads, seq, dim, seq);
  kernels_.merge_heads(scratch_, kept.context, 1, options_.batch, seq, local_heads, dim);
  linear_.forward(kept.context, weights_ + layer.out, nullptr, scratch_, rows, local, h);
  exchange_.sum(scratch_, size_);
  kernels_.add(kept.in, scratch_, weights_ + layer.out_bias, kept.middle, rows, h);

  kernels_.layer_norm(kept.middle, kept.norm2, rows, h);
  linear_.forward(kept.norm2, weights_ + layer.up, weights_ + layer.up_bias, kept.up, rows, h,
                  wide);
  kernels_.gelu(kept.up, kept.gelu, static_cast<size_t>(rows) * static_cast<size_t>(wide));
  linear_.forward(kept.gelu, weights_ + layer.down, nullptr, scratch_, rows, wide, h);
  exchange_.sum(scratch_, size_);
  kernels_.add(kept.middle, scratch_, weights_ + layer.down_bias, out, rows, h);
}

// Of logits_, which become their gradient.
template <class Element>
void Model<Element>::find_loss(const int* targets, float* loss) {
  const int rows = options_.tokens();
  loss_.maximum(logits_, logit_max_, rows, words_);
  exchange_.maximum(logit_max_, static_cast<size_t>(rows));
  loss_.sum(logits_, targets, logit_max_, logit_sums_, rows, words_);
  exchange_.sum(logit_sums_, 2 * static_cast<size_t>(rows));
  loss_.gradient(logits_, targets, logit_max_, logit_sums_, loss, rows, words_);
}

template <class Element>
void Model<Element>::backward(const int* tokens, const int* targets, float* loss, bool add,
                              const std::function<void(Bucket)>& finished) {
  add_grads_ = add;
  const int rows = options_.tokens(), h = options_.hidden;
  find_loss(targets, loss);
  matrix_.grad_weight(logits_, final_norm_, grads_, rows, h, words_.count, add);
  matrix_.grad_input(logits_, weights_, grad_small_, rows, h, words_.count);
  exchange_.sum(grad_small_, size_);
  kernels_.layer_norm_backward(hidden_, grad_small_, nullptr, grad_, rows, h);
  for (size_t i = layers_.size(); i-- > 0;) {
    if (options_.recompute != 0) {
      forward_layer(layers_[i], kept_[i], i + 1 < layers_.size() ? kept_[i + 1].in : hidden_);
    }
    backward_layer(layers_[i], kept_[i]);
    finished(layers_[i].bucket);
  }
  kernels_.embed_backward(tokens, grad_, grads_, rows, h, words_);
  finished(embedding_);
}

// Leaves the gradient of the layer's input in grad_, where that of its output was.
template <class Element>
void Model<Element>::backward_layer(const Layer& layer, const Kept& kept) {
  const int rows = options_.tokens(), h = options_.hidden, wide = local_wide();
  const int local = options_.local_hidden();
  backward_linear(grad_, kept.gelu, layer.down, layer.down_bias, grad_wide_, wide, h);
  kernels_.gelu_backward(kept.up, grad_wide_, grad_wide_,
                         static_cast<size_t>(rows) * static_cast<size_t>(wide));
  backward_linear(grad_wide_, kept.norm2, layer.up, layer.up_bias, grad_small_, h, wide);
  exchange_.sum(grad_small_, size_);
  kernels_.layer_norm_backward(kept.middle, grad_small_, grad_, grad_, rows, h);

  backward_linear(grad_, kept.context, layer.out, layer.out_bias, grad_small_, local, h);
  backward_attention(kept);
  backward_linear(scratch_, kept.norm1, layer.qkv, layer.qkv_bias, grad_small_, h, 3 * local);
  exchange_.sum(grad_small_, size_);
  kernels_.layer_norm_backward(kept.in, grad_small_, grad_, grad_, rows, h);
}

// From the gradient of the heads' context in grad_small_ to that of qkv in scratch_.
template <class Element>
void Model<Element>::backward_attention(const Kept& kept) {
  const int local_heads = options_.local_heads();
  const int seq = options_.seq, dim = options_.head_dim(), heads = options_.batch * local_heads;
  const size_t part =
      static_cast<size_t>(options_.tokens()) * static_cast<size_t>(options_.local_hidden());
  kernels_.split_heads(grad_small_, scratch_, 1, options_.batch, seq, local_heads, dim);
  const Element *q = kept.qkv, *k = kept.qkv + part, *v = kept.qkv + 2 * part;
  matrix_.heads_xyt(scratch_, v, grad_scores_, heads, seq, seq, dim);
  matrix_.heads_xty(kept.probabilities, scratch_, grad_heads_ + 2 * part, heads, seq, dim, seq);
  kernels_.causal_softmax_backward(kept.probabilities, grad_scores_, heads * seq, seq,
                                   1 / std::sqrt(static_cast<float>(dim)));
  matrix_.heads_xy(grad_scores_, k, grad_heads_, heads, seq, dim, seq);
  matrix_.heads_xty(grad_scores_, q, grad_heads_ + part, heads, seq, dim, seq);
  kernels_.merge_heads(grad_heads_, scratch_, 3, options_.batch, seq, local_heads, dim);
}

template <class Element>
void Model<Element>::backward_linear(const Element* grad, const Element* in, size_t weight,
                                     size_t bias, Element* grad_in, int ins, int outs) {
  const int rows = options_.tokens();
  linear_.grad_weight(grad, in, grads_ + weight, rows, ins, outs, add_grads_);
  kernels_.bias_gradient(grad, grads_ + bias, rows, outs, add_grads_);
  linear_.grad_input(grad, weights_ + weight, grad_in, rows, ins, outs);
}

template <class Element>
void Model<Element>::optimizer_step(int step) {
  kernels_.adam(weights_, master_, momentum_, variance_, grads_, weight_count_, step);
}

template class Model<__nv_bfloat16>;
template class Model<float>;
