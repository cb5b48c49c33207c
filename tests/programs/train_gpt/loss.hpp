// Cross-entropy over a vocabulary that is divided among ranks.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

#include "words.hpp"

// In three parts: between them the caller takes the maximum of max[rows], and the sum of
// sums[2, rows], over the ranks. All enqueue on the given stream.
template <class Element>
class VocabularyLoss {
 public:
  explicit VocabularyLoss(cudaStream_t stream) : stream_(stream) {}

  void maximum(const Element* logits, float* max, int rows, Words words);
  void sum(const Element* logits, const int* targets, const float* max, float* sums, int rows,
           Words words);
  // logits become their gradient, in place; the mean loss is added to *loss.
  void gradient(Element* logits, const int* targets, const float* max, const float* sums,
                float* loss, int rows, Words words);

 private:
  cudaStream_t stream_;
};
