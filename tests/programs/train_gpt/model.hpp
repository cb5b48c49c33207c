// A GPT-shaped stack: embedding, layers of attention and feed-forward, tied output; forward and
// backward. Of each layer, and of the vocabulary, a rank has its share.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "groups.hpp"
#include "kernels.hpp"
#include "loss.hpp"
#include "matrix.hpp"
#include "options.hpp"

// One contiguous run of weights, and of their gradients: what one all-reduce carries.
struct Bucket {
  size_t offset = 0;
  size_t count = 0;
};

template <class Element>
class Model {
 public:
  Model(const Options& options, const Groups& groups, cudaStream_t stream);
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

  Element* weights() const { return weights_; }
  Element* grads() const { return grads_; }
  size_t weight_count() const { return weight_count_; }

 private:
  // Where the weights of a layer are, as offsets into weights_ and grads_.
  struct Layer {
    Bucket bucket;
    size_t qkv, qkv_bias, out, out_bias, up, up_bias, down, down_bias;
  };
  // What forward keeps of a layer for backward.
  struct Kept {
    Element *in, *norm1, *qkv, *probabilities, *context, *middle, *norm2, *up, *gelu;
  };

  template <class T>
  T* allocate(size_t count);
  Layer place_layer(size_t offset) const;
  // The width of the feed-forward part.
  int local_wide() const;
  void forward_layer(const Layer& layer, const Kept& kept, Element* out);
  void find_loss(const int* targets, float* loss);
  void backward_layer(const Layer& layer, const Kept& kept);
  void backward_attention(const Kept& kept);
  void backward_linear(const Element* grad, const Element* in, size_t weight, size_t bias,
                       Element* grad_in, int ins, int outs);

  const Options options_;
  const Words words_;
  const size_t size_;  // of the activations between layers
  const cudaStream_t stream_;
  Kernels<Element> kernels_;
  VocabularyLoss<Element> loss_;
  Matrix<Element> matrix_;
  std::unique_ptr<Linear<Element>> fp8_;
  Linear<Element>& linear_;  // of the layers
  ActivationExchange exchange_;
  std::vector<void*> allocations_;
  bool add_grads_ = false;
  size_t weight_count_ = 0;
  Bucket embedding_;
  std::vector<Layer> layers_;
  std::vector<Kept> kept_;
  Element *weights_ = nullptr, *grads_ = nullptr;
  float *master_ = nullptr, *momentum_ = nullptr, *variance_ = nullptr;
  float *logit_max_ = nullptr, *logit_sums_ = nullptr;
  Element *hidden_ = nullptr, *final_norm_ = nullptr, *logits_ = nullptr, *scratch_ = nullptr;
  Element *grad_ = nullptr, *grad_small_ = nullptr, *grad_wide_ = nullptr, *grad_heads_ = nullptr,
          *grad_scores_ = nullptr;
};
