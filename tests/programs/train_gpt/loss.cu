// See loss.hpp.
#include "loss.hpp"

#include <cmath>

#include "block.hpp"

namespace train_gpt {

template <class Element>
__global__ void logit_max_kernel(const Element* logits, float* max, int words) {
  __shared__ float shared[kBlock];
  const size_t row = static_cast<size_t>(blockIdx.x) * words;
  float top = -INFINITY;
  for (int i = threadIdx.x; i < words; i += blockDim.x) top = fmaxf(top, load(logits, row + i));
  top = block_max(top, shared);
  if (threadIdx.x == 0) max[blockIdx.x] = top;
}

template <class Element>
__global__ void logit_sums_kernel(const Element* logits, const int* targets, const float* max,
                                  float* sums, int rows, Words words) {
  __shared__ float shared[kBlock];
  const size_t row = static_cast<size_t>(blockIdx.x) * words.count;
  const float top = max[blockIdx.x];
  float sum = 0;
  for (int i = threadIdx.x; i < words.count; i += blockDim.x) {
    sum += expf(load(logits, row + i) - top);
  }
  sum = block_sum(sum, shared);
  if (threadIdx.x != 0) return;
  const int target = targets[blockIdx.x] - words.first;
  sums[blockIdx.x] = sum;
  sums[rows + blockIdx.x] = target >= 0 && target < words.count ? load(logits, row + target) : 0;
}

template <class Element>
__global__ void cross_entropy_kernel(Element* logits, const int* targets, const float* max,
                                     const float* sums, float* loss, int rows, Words words) {
  const size_t row = static_cast<size_t>(blockIdx.x) * words.count;
  const int target = targets[blockIdx.x] - words.first;
  const auto count = static_cast<float>(rows);
  const float top = max[blockIdx.x];
  const float sum = sums[blockIdx.x];
  if (threadIdx.x == 0) atomicAdd(loss, (logf(sum) + top - sums[rows + blockIdx.x]) / count);
  for (int i = threadIdx.x; i < words.count; i += blockDim.x) {
    const float probability = expf(load(logits, row + i) - top) / sum;
    store(logits, row + i, (probability - (i == target ? 1.0F : 0.0F)) / count);
  }
}

}  // namespace train_gpt

using namespace train_gpt;

template <class Element>
void VocabularyLoss<Element>::maximum(const Element* logits, float* max, int rows, Words words) {
  LAUNCH(logit_max_kernel<Element>, rows, kBlock, 0, stream_, logits, max, words.count);
}

template <class Element>
void VocabularyLoss<Element>::sum(const Element* logits, const int* targets, const float* max,
                                  float* sums, int rows, Words words) {
  LAUNCH(logit_sums_kernel<Element>, rows, kBlock, 0, stream_, logits, targets, max, sums, rows,
         words);
}

template <class Element>
void VocabularyLoss<Element>::gradient(Element* logits, const int* targets, const float* max,
                                       const float* sums, float* loss, int rows, Words words) {
  LAUNCH(cross_entropy_kernel<Element>, rows, kBlock, 0, stream_, logits, targets, max, sums, loss,
         rows, words);
}

template class VocabularyLoss<__nv_bfloat16>;
template class VocabularyLoss<float>;
