// libcudnn's older descriptors: create, set, get, destroy.
#include <algorithm>

#include "legacy.hpp"
#include "operation.hpp"

namespace mfusim::cudnn {

double bytes_of(const cudnnTensorStruct& tensor) {
  double count = data_type_bytes(tensor.type);
  for (const int dim : tensor.dims) count *= dim;
  return count;
}

namespace {

std::vector<int> packed_strides(const std::vector<int>& dims) {
  std::vector<int> strides(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  return strides;
}

cudnnStatus_t set_tensor(cudnnTensorDescriptor_t tensor, cudnnDataType_t type,
                         std::vector<int> dims, std::vector<int> strides) {
  if (tensor == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  tensor->type = type;
  tensor->dims = std::move(dims);
  tensor->strides = std::move(strides);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t set_filter(cudnnFilterDescriptor_t filter, cudnnDataType_t type,
                         cudnnTensorFormat_t format, std::vector<int> dims) {
  if (filter == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  filter->type = type;
  filter->format = format;
  filter->dims = std::move(dims);
  return CUDNN_STATUS_SUCCESS;
}

std::vector<int> copy(const int* from, int count) {
  return count > 0 && from != nullptr ? std::vector<int>(from, from + count) : std::vector<int>{};
}

void give(const std::vector<int>& from, int requested, int* to) {
  if (to == nullptr) return;
  std::copy_n(from.begin(), std::min(from.size(), static_cast<size_t>(std::max(requested, 0))), to);
}

template <class T>
void give(T value, T* to) {
  if (to != nullptr) *to = value;
}

}  // namespace
}  // namespace mfusim::cudnn

using namespace mfusim::cudnn;

#define MFUSIM_LIFE(Name, Struct)                                         \
  cudnnStatus_t cudnnCreate##Name##Descriptor(struct Struct** made) {     \
    return create(made);                                                  \
  }                                                                       \
  cudnnStatus_t cudnnDestroy##Name##Descriptor(struct Struct* unwanted) { \
    return destroy(unwanted);                                             \
  }

extern "C" {

MFUSIM_LIFE(Tensor, cudnnTensorStruct)
MFUSIM_LIFE(Filter, cudnnFilterStruct)
MFUSIM_LIFE(Convolution, cudnnConvolutionStruct)
MFUSIM_LIFE(Activation, cudnnActivationStruct)
MFUSIM_LIFE(Pooling, cudnnPoolingStruct)
MFUSIM_LIFE(Dropout, cudnnDropoutStruct)
MFUSIM_LIFE(RNN, cudnnRNNStruct)
MFUSIM_LIFE(RNNData, cudnnRNNDataStruct)
MFUSIM_LIFE(CTCLoss, cudnnCTCLossStruct)
MFUSIM_LIFE(SpatialTransformer, cudnnSpatialTransformerStruct)

cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t tensor, cudnnTensorFormat_t,
                                         cudnnDataType_t type, int n, int c, int h, int w) {
  return set_tensor(tensor, type, {n, c, h, w}, packed_strides({n, c, h, w}));
}

cudnnStatus_t cudnnSetTensor4dDescriptorEx(cudnnTensorDescriptor_t tensor, cudnnDataType_t type,
                                           int n, int c, int h, int w, int n_stride, int c_stride,
                                           int h_stride, int w_stride) {
  return set_tensor(tensor, type, {n, c, h, w}, {n_stride, c_stride, h_stride, w_stride});
}

cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t tensor, cudnnDataType_t type,
                                         int count, const int dims[], const int strides[]) {
  return set_tensor(tensor, type, copy(dims, count), copy(strides, count));
}

cudnnStatus_t cudnnSetTensorNdDescriptorEx(cudnnTensorDescriptor_t tensor, cudnnTensorFormat_t,
                                           cudnnDataType_t type, int count, const int dims[]) {
  return set_tensor(tensor, type, copy(dims, count), packed_strides(copy(dims, count)));
}

cudnnStatus_t cudnnGetTensorNdDescriptor(const cudnnTensorDescriptor_t tensor, int requested,
                                         cudnnDataType_t* type, int* count, int dims[],
                                         int strides[]) {
  if (tensor == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  give(tensor->type, type);
  give(static_cast<int>(tensor->dims.size()), count);
  give(tensor->dims, requested, dims);
  give(tensor->strides, requested, strides);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetTensorSizeInBytes(const cudnnTensorDescriptor_t tensor, size_t* size) {
  if (tensor == nullptr || size == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  *size = static_cast<size_t>(bytes_of(*tensor));
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t filter, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int k, int c, int h, int w) {
  return set_filter(filter, type, format, {k, c, h, w});
}

cudnnStatus_t cudnnSetFilterNdDescriptor(cudnnFilterDescriptor_t filter, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int count, const int dims[]) {
  return set_filter(filter, type, format, copy(dims, count));
}

cudnnStatus_t cudnnGetFilterNdDescriptor(const cudnnFilterDescriptor_t filter, int requested,
                                         cudnnDataType_t* type, cudnnTensorFormat_t* format,
                                         int* count, int dims[]) {
  if (filter == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  give(filter->type, type);
  give(filter->format, format);
  give(static_cast<int>(filter->dims.size()), count);
  give(filter->dims, requested, dims);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t convolution, int count,
                                              const int padding[], const int stride[],
                                              const int dilation[], cudnnConvolutionMode_t mode,
                                              cudnnDataType_t compute) {
  if (convolution == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  convolution->padding = copy(padding, count);
  convolution->stride = copy(stride, count);
  convolution->dilation = copy(dilation, count);
  convolution->mode = mode;
  convolution->compute = compute;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t convolution, int pad_h,
                                              int pad_w, int u, int v, int dilation_h,
                                              int dilation_w, cudnnConvolutionMode_t mode,
                                              cudnnDataType_t compute) {
  const int padding[] = {pad_h, pad_w}, stride[] = {u, v}, dilation[] = {dilation_h, dilation_w};
  return cudnnSetConvolutionNdDescriptor(convolution, 2, padding, stride, dilation, mode, compute);
}

cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t convolution, int groups) {
  if (convolution == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  convolution->groups = groups;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionGroupCount(cudnnConvolutionDescriptor_t convolution, int* groups) {
  if (convolution == nullptr || groups == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  *groups = convolution->groups;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t convolution,
                                          cudnnMathType_t math) {
  if (convolution == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  convolution->math = math;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetConvolutionReorderType(cudnnConvolutionDescriptor_t convolution,
                                             cudnnReorderType_t reorder) {
  if (convolution == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  convolution->reorder = reorder;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetActivationDescriptor(cudnnActivationDescriptor_t activation,
                                           cudnnActivationMode_t mode, cudnnNanPropagation_t,
                                           double coefficient) {
  if (activation == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  activation->mode = mode;
  activation->coefficient = coefficient;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetPooling2dDescriptor(cudnnPoolingDescriptor_t pooling, cudnnPoolingMode_t mode,
                                          cudnnNanPropagation_t, int, int, int, int, int, int) {
  if (pooling == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  pooling->mode = mode;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetPoolingNdDescriptor(cudnnPoolingDescriptor_t pooling,
                                          const cudnnPoolingMode_t mode,
                                          const cudnnNanPropagation_t, int, const int[],
                                          const int[], const int[]) {
  if (pooling == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  pooling->mode = mode;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnDropoutGetStatesSize(cudnnHandle_t, size_t* size) {
  if (size == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  *size = 1 << 16;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t dropout, cudnnHandle_t,
                                        float probability, void* states, size_t,
                                        unsigned long long seed) {
  if (dropout == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  *dropout = {probability, states, seed};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnRestoreDropoutDescriptor(cudnnDropoutDescriptor_t dropout, cudnnHandle_t handle,
                                            float probability, void* states, size_t size,
                                            unsigned long long seed) {
  return cudnnSetDropoutDescriptor(dropout, handle, probability, states, size, seed);
}

cudnnStatus_t cudnnSetSpatialTransformerNdDescriptor(cudnnSpatialTransformerDescriptor_t,
                                                     cudnnSamplerType_t, cudnnDataType_t, const int,
                                                     const int[]) {
  return CUDNN_STATUS_SUCCESS;
}

}  // extern "C"
