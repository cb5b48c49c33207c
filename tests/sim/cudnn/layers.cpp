// libcudnn's layers without a product: normalization, activation, pooling, softmax, dropout.
#include "execute.hpp"
#include "legacy.hpp"

namespace mfusim::cudnn {
namespace {

// So many passes over a tensor.
cudnnStatus_t pass_over(cudnnHandle_t handle, const char* api, const cudnnTensorStruct* tensor,
                        double passes) {
  if (tensor == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  return execute_pass(handle, api, passes * bytes_of(*tensor));
}

cudnnStatus_t no_space(size_t* size) {
  if (size == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  *size = 0;
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace
}  // namespace mfusim::cudnn

using namespace mfusim::cudnn;

extern "C" {

cudnnStatus_t cudnnDeriveBNTensorDescriptor(cudnnTensorDescriptor_t derived,
                                            const cudnnTensorDescriptor_t x, cudnnBatchNormMode_t) {
  if (derived == nullptr || x == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  derived->type = CUDNN_DATA_FLOAT;
  derived->dims.assign(x->dims.size(), 1);
  if (x->dims.size() > 1) derived->dims[1] = x->dims[1];
  derived->strides.assign(x->dims.size(), 1);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
    cudnnHandle_t, cudnnBatchNormMode_t, cudnnBatchNormOps_t, const cudnnTensorDescriptor_t,
    const cudnnTensorDescriptor_t, const cudnnTensorDescriptor_t, const cudnnTensorDescriptor_t,
    const cudnnActivationDescriptor_t, size_t* size) {
  return no_space(size);
}
cudnnStatus_t cudnnGetBatchNormalizationBackwardExWorkspaceSize(
    cudnnHandle_t, cudnnBatchNormMode_t, cudnnBatchNormOps_t, const cudnnTensorDescriptor_t,
    const cudnnTensorDescriptor_t, const cudnnTensorDescriptor_t, const cudnnTensorDescriptor_t,
    const cudnnTensorDescriptor_t, const cudnnTensorDescriptor_t, const cudnnActivationDescriptor_t,
    size_t* size) {
  return no_space(size);
}
cudnnStatus_t cudnnGetBatchNormalizationTrainingExReserveSpaceSize(
    cudnnHandle_t, cudnnBatchNormMode_t, cudnnBatchNormOps_t, const cudnnActivationDescriptor_t,
    const cudnnTensorDescriptor_t, size_t* size) {
  return no_space(size);
}

cudnnStatus_t cudnnBatchNormalizationForwardTraining(cudnnHandle_t handle, cudnnBatchNormMode_t,
                                                     const void*, const void*,
                                                     const cudnnTensorDescriptor_t x, const void*,
                                                     const cudnnTensorDescriptor_t, void*,
                                                     const cudnnTensorDescriptor_t, const void*,
                                                     const void*, double, void*, void*, double,
                                                     void*, void*) {
  return pass_over(handle, __func__, x, 3);
}
cudnnStatus_t cudnnBatchNormalizationForwardTrainingEx(
    cudnnHandle_t handle, cudnnBatchNormMode_t, cudnnBatchNormOps_t, const void*, const void*,
    const cudnnTensorDescriptor_t x, const void*, const cudnnTensorDescriptor_t, const void*,
    const cudnnTensorDescriptor_t, void*, const cudnnTensorDescriptor_t, const void*, const void*,
    double, void*, void*, double, void*, void*, cudnnActivationDescriptor_t, void*, size_t, void*,
    size_t) {
  return pass_over(handle, __func__, x, 3);
}
cudnnStatus_t cudnnBatchNormalizationForwardInference(
    cudnnHandle_t handle, cudnnBatchNormMode_t, const void*, const void*,
    const cudnnTensorDescriptor_t x, const void*, const cudnnTensorDescriptor_t, void*,
    const cudnnTensorDescriptor_t, const void*, const void*, const void*, const void*, double) {
  return pass_over(handle, __func__, x, 2);
}
cudnnStatus_t cudnnBatchNormalizationBackward(cudnnHandle_t handle, cudnnBatchNormMode_t,
                                              const void*, const void*, const void*, const void*,
                                              const cudnnTensorDescriptor_t x, const void*,
                                              const cudnnTensorDescriptor_t, const void*,
                                              const cudnnTensorDescriptor_t, void*,
                                              const cudnnTensorDescriptor_t, const void*, void*,
                                              void*, double, const void*, const void*) {
  return pass_over(handle, __func__, x, 5);
}
cudnnStatus_t cudnnBatchNormalizationBackwardEx(
    cudnnHandle_t handle, cudnnBatchNormMode_t, cudnnBatchNormOps_t, const void*, const void*,
    const void*, const void*, const cudnnTensorDescriptor_t x, const void*,
    const cudnnTensorDescriptor_t, const void*, const cudnnTensorDescriptor_t, const void*,
    const cudnnTensorDescriptor_t, void*, const cudnnTensorDescriptor_t, void*,
    const cudnnTensorDescriptor_t, const void*, const void*, void*, void*, double, const void*,
    const void*, cudnnActivationDescriptor_t, void*, size_t, void*, size_t) {
  return pass_over(handle, __func__, x, 5);
}

cudnnStatus_t cudnnActivationForward(cudnnHandle_t handle, cudnnActivationDescriptor_t, const void*,
                                     const cudnnTensorDescriptor_t x, const void*, const void*,
                                     const cudnnTensorDescriptor_t, void*) {
  return pass_over(handle, __func__, x, 2);
}
cudnnStatus_t cudnnActivationBackward(cudnnHandle_t handle, cudnnActivationDescriptor_t,
                                      const void*, const cudnnTensorDescriptor_t, const void*,
                                      const cudnnTensorDescriptor_t, const void*,
                                      const cudnnTensorDescriptor_t x, const void*, const void*,
                                      const cudnnTensorDescriptor_t, void*) {
  return pass_over(handle, __func__, x, 4);
}
cudnnStatus_t cudnnPoolingForward(cudnnHandle_t handle, const cudnnPoolingDescriptor_t, const void*,
                                  const cudnnTensorDescriptor_t x, const void*, const void*,
                                  const cudnnTensorDescriptor_t, void*) {
  return pass_over(handle, __func__, x, 1.25);
}
cudnnStatus_t cudnnPoolingBackward(cudnnHandle_t handle, const cudnnPoolingDescriptor_t,
                                   const void*, const cudnnTensorDescriptor_t, const void*,
                                   const cudnnTensorDescriptor_t, const void*,
                                   const cudnnTensorDescriptor_t x, const void*, const void*,
                                   const cudnnTensorDescriptor_t, void*) {
  return pass_over(handle, __func__, x, 2.5);
}
cudnnStatus_t cudnnSoftmaxForward(cudnnHandle_t handle, cudnnSoftmaxAlgorithm_t, cudnnSoftmaxMode_t,
                                  const void*, const cudnnTensorDescriptor_t x, const void*,
                                  const void*, const cudnnTensorDescriptor_t, void*) {
  return pass_over(handle, __func__, x, 2);
}
cudnnStatus_t cudnnSoftmaxBackward(cudnnHandle_t handle, cudnnSoftmaxAlgorithm_t,
                                   cudnnSoftmaxMode_t, const void*, const cudnnTensorDescriptor_t y,
                                   const void*, const cudnnTensorDescriptor_t, const void*,
                                   const void*, const cudnnTensorDescriptor_t, void*) {
  return pass_over(handle, __func__, y, 3);
}
cudnnStatus_t cudnnAddTensor(cudnnHandle_t handle, const void*, const cudnnTensorDescriptor_t,
                             const void*, const void*, const cudnnTensorDescriptor_t c, void*) {
  return pass_over(handle, __func__, c, 2);
}
cudnnStatus_t cudnnDropoutForward(cudnnHandle_t handle, const cudnnDropoutDescriptor_t,
                                  const cudnnTensorDescriptor_t x, const void*,
                                  const cudnnTensorDescriptor_t, void*, void*, size_t) {
  return pass_over(handle, __func__, x, 2);
}

}  // extern "C"
