// A GPT-shaped stack: embedding, layers of attention and feed-forward, tied output; forward and
// backward.
#pragma once

#include <functional>
#include <vector>

#include "kernels.hpp"
#include "matrix.hpp"
#include "options.hpp"

// One contiguous run of weights, and of their gradients: what one all-reduce carries.
struct Bucket {
  size_t offset = 0;
  size_t count = 0;
};

class Model {
 public:
  Model(const Options& options, cudaStream_t stream);
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  // tokens and targets are on the device. The loss of this batch is added to *loss there.
  void forward(const int* tokens);
  // Adds to the gradients where `add` is set. Calls finished with each bucket once its gradients
  // are enqueued: last layer first.
  void backward(const int* tokens, const int* targets, float* loss, bool add,
                const std::function<void(Bucket)>& finished);
  void optimizer_step(int step);

  bf16* weights() const { return weights_; }
  bf16* grads() const { return grads_; }
  size_t weight_count() const { return weight_count_; }

 private:
  // Where the weights of a layer are, as offsets into weights_ and grads_.
  struct Layer {
    Bucket bucket;
    size_t qkv, qkv_bias, out, out_bias, up, up_bias, down, down_bias;
  };
  // What forward keeps of a layer for backward.
  struct Kept {
    bf16 *in, *norm1, *qkv, *probabilities, *context, *middle, *norm2, *up, *gelu;
  };

  Layer place_layer(size_t offset) const;
  bf16* allocate(size_t count);
  void forward_layer(const Layer& layer, const Kept& kept, bf16* out);
  void backward_layer(const Layer& layer, const Kept& kept);
  void backward_linear(const bf16* grad, const bf16* in, size_t weight, size_t bias, bf16* grad_in,
                       int ins, int outs);

  const Options options_;
  const cudaStream_t stream_;
  Matrix matrix_;
  std::vector<void*> allocations_;
  bool add_grads_ = false;
  size_t weight_count_ = 0;
  Bucket embedding_;
  std::vector<Layer> layers_;
  std::vector<Kept> kept_;
  bf16 *weights_ = nullptr, *grads_ = nullptr;
  float *master_ = nullptr, *momentum_ = nullptr, *variance_ = nullptr;
  bf16 *hidden_ = nullptr, *final_norm_ = nullptr, *logits_ = nullptr, *scratch_ = nullptr;
  bf16 *grad_ = nullptr, *grad_small_ = nullptr, *grad_wide_ = nullptr, *grad_heads_ = nullptr,
       *grad_scores_ = nullptr;
};
