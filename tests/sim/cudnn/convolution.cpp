// libcudnn's older convolutions: one algorithm each, no workspace.
#include <algorithm>

#include "execute.hpp"
#include "legacy.hpp"

namespace mfusim::cudnn {
namespace {

// x and y are the tensors on the input's and the output's side, whichever of them is computed.
cudnnStatus_t convolve(cudnnHandle_t handle, const char* api, Kind kind, const cudnnTensorStruct* x,
                       const cudnnFilterStruct* w, const cudnnConvolutionStruct* convolution,
                       const cudnnTensorStruct* y) {
  if (handle == nullptr || x == nullptr || w == nullptr || convolution == nullptr || y == nullptr) {
    return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  }
  if (x->dims.size() < 3 || y->dims.size() != x->dims.size() || w->dims.size() != x->dims.size()) {
    return CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH;
  }
  const auto points = [](const std::vector<int>& dims) {
    int64_t result = 1;
    for (size_t i = 2; i < dims.size(); ++i) result *= dims[i];
    return result;
  };
  Operation operation;
  operation.kind = kind;
  operation.type = x->type;
  operation.batch = y->dims[0];
  operation.groups = convolution->groups;
  operation.m = y->dims[1];
  operation.n = points(y->dims);
  operation.k = x->dims[1];
  operation.window = points(w->dims);
  operation.bytes = bytes_of(*x) + bytes_of(*y);
  return execute(handle, api, {operation});
}

template <class Result, class Algorithm>
cudnnStatus_t one_algorithm(Algorithm algorithm, int requested, int* returned, Result* results) {
  if (returned == nullptr || results == nullptr || requested < 1) return CUDNN_STATUS_BAD_PARAM;
  results[0] = {};
  results[0].algo = algorithm;
  results[0].time = 1;
  results[0].determinism = CUDNN_DETERMINISTIC;
  results[0].mathType = CUDNN_TENSOR_OP_MATH;
  *returned = 1;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t give(auto value, auto* to) {
  if (to == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  *to = value;
  return CUDNN_STATUS_SUCCESS;
}

constexpr auto kForward = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
constexpr auto kData = CUDNN_CONVOLUTION_BWD_DATA_ALGO_1;
constexpr auto kFilter = CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1;

}  // namespace
}  // namespace mfusim::cudnn

using namespace mfusim::cudnn;

extern "C" {

cudnnStatus_t cudnnGetConvolutionNdForwardOutputDim(const cudnnConvolutionDescriptor_t convolution,
                                                    const cudnnTensorDescriptor_t input,
                                                    const cudnnFilterDescriptor_t filter, int count,
                                                    int dims[]) {
  if (convolution == nullptr || input == nullptr || filter == nullptr || dims == nullptr) {
    return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  }
  const auto rank = static_cast<size_t>(std::max(count, 0));
  if (rank < 2 || input->dims.size() < rank || filter->dims.size() < rank ||
      convolution->padding.size() + 2 < rank) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  dims[0] = input->dims[0];
  dims[1] = filter->dims[0];
  for (size_t i = 2; i < rank; ++i) {
    const int window = convolution->dilation[i - 2] * (filter->dims[i] - 1) + 1;
    const int room = input->dims[i] + 2 * convolution->padding[i - 2] - window;
    dims[i] = room / convolution->stride[i - 2] + 1;
  }
  return CUDNN_STATUS_SUCCESS;
}

// Forward.

cudnnStatus_t cudnnGetConvolutionForwardAlgorithmMaxCount(cudnnHandle_t, int* count) {
  return give(1, count);
}
cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t, const cudnnTensorDescriptor_t,
                                                     const cudnnFilterDescriptor_t,
                                                     const cudnnConvolutionDescriptor_t,
                                                     const cudnnTensorDescriptor_t,
                                                     const int requested, int* returned,
                                                     cudnnConvolutionFwdAlgoPerf_t* results) {
  return one_algorithm(kForward, requested, returned, results);
}
cudnnStatus_t cudnnFindConvolutionForwardAlgorithmEx(
    cudnnHandle_t, const cudnnTensorDescriptor_t, const void*, const cudnnFilterDescriptor_t,
    const void*, const cudnnConvolutionDescriptor_t, const cudnnTensorDescriptor_t, void*,
    const int requested, int* returned, cudnnConvolutionFwdAlgoPerf_t* results, void*, size_t) {
  return one_algorithm(kForward, requested, returned, results);
}
cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(cudnnHandle_t, const cudnnTensorDescriptor_t,
                                                      const cudnnFilterDescriptor_t,
                                                      const cudnnConvolutionDescriptor_t,
                                                      const cudnnTensorDescriptor_t,
                                                      cudnnConvolutionFwdAlgo_t, size_t* size) {
  return give(size_t{0}, size);
}
cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void*,
                                      const cudnnTensorDescriptor_t x, const void*,
                                      const cudnnFilterDescriptor_t w, const void*,
                                      const cudnnConvolutionDescriptor_t convolution,
                                      cudnnConvolutionFwdAlgo_t, void*, size_t, const void*,
                                      const cudnnTensorDescriptor_t y, void*) {
  return convolve(handle, __func__, Kind::kConvForward, x, w, convolution, y);
}
cudnnStatus_t cudnnConvolutionBiasActivationForward(
    cudnnHandle_t handle, const void*, const cudnnTensorDescriptor_t x, const void*,
    const cudnnFilterDescriptor_t w, const void*, const cudnnConvolutionDescriptor_t convolution,
    cudnnConvolutionFwdAlgo_t, void*, size_t, const void*, const cudnnTensorDescriptor_t,
    const void*, const cudnnTensorDescriptor_t, const void*, const cudnnActivationDescriptor_t,
    const cudnnTensorDescriptor_t y, void*) {
  return convolve(handle, __func__, Kind::kConvForward, x, w, convolution, y);
}

// Backward, to the data.

cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithmMaxCount(cudnnHandle_t, int* count) {
  return give(1, count);
}
cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(
    cudnnHandle_t, const cudnnFilterDescriptor_t, const cudnnTensorDescriptor_t,
    const cudnnConvolutionDescriptor_t, const cudnnTensorDescriptor_t, const int requested,
    int* returned, cudnnConvolutionBwdDataAlgoPerf_t* results) {
  return one_algorithm(kData, requested, returned, results);
}
cudnnStatus_t cudnnFindConvolutionBackwardDataAlgorithmEx(
    cudnnHandle_t, const cudnnFilterDescriptor_t, const void*, const cudnnTensorDescriptor_t,
    const void*, const cudnnConvolutionDescriptor_t, const cudnnTensorDescriptor_t, void*,
    const int requested, int* returned, cudnnConvolutionBwdDataAlgoPerf_t* results, void*, size_t) {
  return one_algorithm(kData, requested, returned, results);
}
cudnnStatus_t cudnnGetConvolutionBackwardDataWorkspaceSize(
    cudnnHandle_t, const cudnnFilterDescriptor_t, const cudnnTensorDescriptor_t,
    const cudnnConvolutionDescriptor_t, const cudnnTensorDescriptor_t,
    cudnnConvolutionBwdDataAlgo_t, size_t* size) {
  return give(size_t{0}, size);
}
cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void*,
                                           const cudnnFilterDescriptor_t w, const void*,
                                           const cudnnTensorDescriptor_t dy, const void*,
                                           const cudnnConvolutionDescriptor_t convolution,
                                           cudnnConvolutionBwdDataAlgo_t, void*, size_t,
                                           const void*, const cudnnTensorDescriptor_t dx, void*) {
  return convolve(handle, __func__, Kind::kConvData, dx, w, convolution, dy);
}

// Backward, to the filter and the bias.

cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithmMaxCount(cudnnHandle_t, int* count) {
  return give(1, count);
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(
    cudnnHandle_t, const cudnnTensorDescriptor_t, const cudnnTensorDescriptor_t,
    const cudnnConvolutionDescriptor_t, const cudnnFilterDescriptor_t, const int requested,
    int* returned, cudnnConvolutionBwdFilterAlgoPerf_t* results) {
  return one_algorithm(kFilter, requested, returned, results);
}
cudnnStatus_t cudnnFindConvolutionBackwardFilterAlgorithmEx(
    cudnnHandle_t, const cudnnTensorDescriptor_t, const void*, const cudnnTensorDescriptor_t,
    const void*, const cudnnConvolutionDescriptor_t, const cudnnFilterDescriptor_t, void*,
    const int requested, int* returned, cudnnConvolutionBwdFilterAlgoPerf_t* results, void*,
    size_t) {
  return one_algorithm(kFilter, requested, returned, results);
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterWorkspaceSize(
    cudnnHandle_t, const cudnnTensorDescriptor_t, const cudnnTensorDescriptor_t,
    const cudnnConvolutionDescriptor_t, const cudnnFilterDescriptor_t,
    cudnnConvolutionBwdFilterAlgo_t, size_t* size) {
  return give(size_t{0}, size);
}
cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t handle, const void*,
                                             const cudnnTensorDescriptor_t x, const void*,
                                             const cudnnTensorDescriptor_t dy, const void*,
                                             const cudnnConvolutionDescriptor_t convolution,
                                             cudnnConvolutionBwdFilterAlgo_t, void*, size_t,
                                             const void*, const cudnnFilterDescriptor_t dw, void*) {
  return convolve(handle, __func__, Kind::kConvFilter, x, dw, convolution, dy);
}
cudnnStatus_t cudnnConvolutionBackwardBias(cudnnHandle_t handle, const void*,
                                           const cudnnTensorDescriptor_t dy, const void*,
                                           const void*, const cudnnTensorDescriptor_t, void*) {
  if (dy == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  return execute_pass(handle, __func__, bytes_of(*dy));
}

}  // extern "C"
