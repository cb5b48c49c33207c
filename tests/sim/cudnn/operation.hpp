// One operation as cuDNN was asked for it: its size, its line of truth.
#pragma once

#include <cudnn.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sim_driver.hpp"

namespace mfusim::cudnn {

enum class Kind {
  kUnknown,
  kConvForward,
  kConvData,
  kConvFilter,
  kMatmul,
  kAttentionForward,
  kAttentionBackward,
  kRnnForward,
  kRnnData,
  kRnnWeights,
  kOther,  // bound by memory: no product in it
};

// Sizes of a product, by kind:
//   convolution: `batch` images, `groups`, m output channels, n output points, k input channels of
//     all groups, `window` filter points
//   matmul: `batch` products m x n x k
//   attention: `batch`, `groups` query heads, m queries, n keys, k of Q and K, l of V
//   rnn: n tokens, k weights of the matrices
struct Operation {
  Kind kind = Kind::kUnknown;
  int64_t batch = 1, groups = 1;
  int64_t m = 0, n = 0, k = 0, l = 0;
  int64_t window = 1;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  double bytes = 0;  // moved through device memory
};

// Multiplications and additions of the operation; 0 where there is no product.
double flops_of(const Operation& operation);

int data_type_bytes(cudnnDataType_t type);

// The pipe of a type for the roofline: a cudaDataType_t value.
int pipe_of(cudnnDataType_t type);

// What one public call executed, as lines of truth of kind "operation".
struct Call {
  const char* api;
  std::vector<Operation> operations;
  int launches;
  bool captured;
  const library::Piece& piece;
};
void tell(const Call& call);

}  // namespace mfusim::cudnn
