// libcudnn: handles, streams, versions and names of errors.
#include <algorithm>
#include <cstdio>
#include <new>

#include "handle.hpp"
#include "lt_product.hpp"

namespace {

struct StatusText {
  cudnnStatus_t status;
  const char* name;
};
#define MFUSIM_STATUS(status) \
  { status, #status }
constexpr StatusText kStatuses[] = {
    MFUSIM_STATUS(CUDNN_STATUS_SUCCESS),
    MFUSIM_STATUS(CUDNN_STATUS_NOT_INITIALIZED),
    MFUSIM_STATUS(CUDNN_STATUS_BAD_PARAM),
    MFUSIM_STATUS(CUDNN_STATUS_BAD_PARAM_NULL_POINTER),
    MFUSIM_STATUS(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED),
    MFUSIM_STATUS(CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE),
    MFUSIM_STATUS(CUDNN_STATUS_NOT_SUPPORTED),
    MFUSIM_STATUS(CUDNN_STATUS_EXECUTION_FAILED),
    MFUSIM_STATUS(CUDNN_STATUS_EXECUTION_FAILED_CUDA_DRIVER),
    MFUSIM_STATUS(CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED),
};
#undef MFUSIM_STATUS

// PyTorch refuses a library that is older than the headers it was compiled with, which are 9.26
// for 2.15. What the headers here lack is refused when it is asked for.
constexpr int kVersion = std::max(CUDNN_VERSION, 92600);

}  // namespace

extern "C" {

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  if (handle == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  if (cudaFree(nullptr) != cudaSuccess) return CUDNN_STATUS_NOT_INITIALIZED;
  *handle = new (std::nothrow) cudnnContext;
  return *handle != nullptr ? CUDNN_STATUS_SUCCESS
                            : CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
}

cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  if (handle == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  mfusim::cudnn::end_lt(handle);
  delete handle;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  if (handle == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  handle->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetStream(cudnnHandle_t handle, cudaStream_t* stream) {
  if (handle == nullptr || stream == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  *stream = handle->stream;
  return CUDNN_STATUS_SUCCESS;
}

size_t cudnnGetVersion(void) {
  return kVersion;
}
size_t cudnnGetCudartVersion(void) {
  return CUDART_VERSION;
}
size_t cudnnGetMaxDeviceVersion(void) {
  return 1210;
}

cudnnStatus_t cudnnGetProperty(libraryPropertyType type, int* value) {
  if (value == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  switch (type) {
    case MAJOR_VERSION:
      *value = kVersion / 10000;
      return CUDNN_STATUS_SUCCESS;
    case MINOR_VERSION:
      *value = kVersion / 100 % 100;
      return CUDNN_STATUS_SUCCESS;
    case PATCH_LEVEL:
      *value = kVersion % 100;
      return CUDNN_STATUS_SUCCESS;
    default:
      return CUDNN_STATUS_BAD_PARAM;
  }
}

const char* cudnnGetErrorString(cudnnStatus_t status) {
  for (const StatusText& row : kStatuses) {
    if (row.status == status) return row.name;
  }
  return "CUDNN_UNKNOWN_STATUS";
}

void cudnnGetLastErrorString(char* message, size_t max_size) {
  if (message != nullptr && max_size != 0) message[0] = '\0';
}

cudnnStatus_t cudnnSetCallback(unsigned, void*, cudnnCallback_t) {
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGraphVersionCheck(void) {
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnOpsVersionCheck(void) {
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnCnnVersionCheck(void) {
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnAdvVersionCheck(void) {
  return CUDNN_STATUS_SUCCESS;
}

}  // extern "C"
