// The descriptors of cuDNN's older functions, one plain struct each.
#pragma once

#include <cudnn.h>

#include <cstdint>
#include <new>
#include <vector>

struct cudnnTensorStruct {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  std::vector<int> dims;
  std::vector<int> strides;
};
struct cudnnFilterStruct {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  cudnnTensorFormat_t format = CUDNN_TENSOR_NCHW;
  std::vector<int> dims;  // output channels, input channels of a group, space
};
struct cudnnConvolutionStruct {
  std::vector<int> padding, stride, dilation;
  cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
  cudnnDataType_t compute = CUDNN_DATA_FLOAT;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
  cudnnReorderType_t reorder = CUDNN_DEFAULT_REORDER;
  int groups = 1;
};
struct cudnnActivationStruct {
  cudnnActivationMode_t mode = CUDNN_ACTIVATION_RELU;
  double coefficient = 0;
};
struct cudnnPoolingStruct {
  cudnnPoolingMode_t mode = CUDNN_POOLING_MAX;
};
struct cudnnDropoutStruct {
  float probability = 0;
  void* states = nullptr;
  unsigned long long seed = 0;
};
struct cudnnRNNStruct {
  cudnnRNNMode_t mode = CUDNN_LSTM;
  cudnnRNNAlgo_t algo = CUDNN_RNN_ALGO_STANDARD;
  cudnnRNNBiasMode_t bias = CUDNN_RNN_DOUBLE_BIAS;
  cudnnDirectionMode_t direction = CUDNN_UNIDIRECTIONAL;
  cudnnRNNInputMode_t input_mode = CUDNN_LINEAR_INPUT;
  cudnnDataType_t type = CUDNN_DATA_FLOAT, compute = CUDNN_DATA_FLOAT;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
  int32_t input = 0, hidden = 0, projection = 0, layers = 0;
  cudnnDropoutDescriptor_t dropout = nullptr;
  uint32_t flags = 0;
};
struct cudnnRNNDataStruct {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  cudnnRNNDataLayout_t layout = CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED;
  int max_length = 0, batch = 0, vector = 0;
  std::vector<int> lengths;
};
struct cudnnCTCLossStruct {};
struct cudnnSpatialTransformerStruct {};

namespace mfusim::cudnn {

template <class Struct>
cudnnStatus_t create(Struct** descriptor) {
  if (descriptor == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  *descriptor = new (std::nothrow) Struct;
  return *descriptor != nullptr ? CUDNN_STATUS_SUCCESS
                                : CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
}

template <class Struct>
cudnnStatus_t destroy(Struct* descriptor) {
  delete descriptor;
  return CUDNN_STATUS_SUCCESS;
}

// Bytes of a tensor without gaps.
double bytes_of(const cudnnTensorStruct& tensor);

}  // namespace mfusim::cudnn
