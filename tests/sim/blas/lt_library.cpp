// libcublasLt: handles, version, names of errors, logger and caches.
#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <new>

struct cublasLtContext {
  int device;
};

namespace {

struct StatusText {
  cublasStatus_t status;
  const char* name;
  const char* text;
};

#define MFUSIM_STATUS(status, text) \
  { status, #status, text }
constexpr StatusText kStatuses[] = {
    MFUSIM_STATUS(CUBLAS_STATUS_SUCCESS, "success"),
    MFUSIM_STATUS(CUBLAS_STATUS_NOT_INITIALIZED, "the library was not initialized"),
    MFUSIM_STATUS(CUBLAS_STATUS_ALLOC_FAILED, "the resource allocation failed"),
    MFUSIM_STATUS(CUBLAS_STATUS_INVALID_VALUE, "an unsupported value or parameter was passed"),
    MFUSIM_STATUS(CUBLAS_STATUS_ARCH_MISMATCH, "the GPU lacks a feature that is needed"),
    MFUSIM_STATUS(CUBLAS_STATUS_MAPPING_ERROR, "an access to GPU memory space failed"),
    MFUSIM_STATUS(CUBLAS_STATUS_EXECUTION_FAILED, "the function failed to launch on the GPU"),
    MFUSIM_STATUS(CUBLAS_STATUS_INTERNAL_ERROR, "an internal operation failed"),
    MFUSIM_STATUS(CUBLAS_STATUS_NOT_SUPPORTED, "the functionality is not supported"),
    MFUSIM_STATUS(CUBLAS_STATUS_LICENSE_ERROR, "an error was detected with the license"),
};
#undef MFUSIM_STATUS

const StatusText* find(cublasStatus_t status) {
  for (const StatusText& row : kStatuses) {
    if (row.status == status) return &row;
  }
  return nullptr;
}

}  // namespace

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  int device = 0;
  if (cudaFree(nullptr) != cudaSuccess || cudaGetDevice(&device) != cudaSuccess) {
    return CUBLAS_STATUS_NOT_INITIALIZED;
  }
  *handle = new (std::nothrow) cublasLtContext{device};
  return *handle != nullptr ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

const char* cublasLtGetStatusName(cublasStatus_t status) {
  const StatusText* row = find(status);
  return row != nullptr ? row->name : "CUBLAS_STATUS_UNKNOWN";
}

const char* cublasLtGetStatusString(cublasStatus_t status) {
  const StatusText* row = find(status);
  return row != nullptr ? row->text : "unknown status";
}

size_t cublasLtGetVersion(void) {
  return CUBLAS_VERSION;
}
size_t cublasLtGetCudartVersion(void) {
  return CUDART_VERSION;
}

cublasStatus_t cublasLtGetProperty(libraryPropertyType type, int* value) {
  if (value == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  switch (type) {
    case MAJOR_VERSION:
      *value = CUBLAS_VER_MAJOR;
      return CUBLAS_STATUS_SUCCESS;
    case MINOR_VERSION:
      *value = CUBLAS_VER_MINOR;
      return CUBLAS_STATUS_SUCCESS;
    case PATCH_LEVEL:
      *value = CUBLAS_VER_PATCH;
      return CUBLAS_STATUS_SUCCESS;
    default:
      return CUBLAS_STATUS_INVALID_VALUE;
  }
}

cublasStatus_t cublasLtHeuristicsCacheGetCapacity(size_t* capacity) {
  if (capacity == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *capacity = 0;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtHeuristicsCacheSetCapacity(size_t) {
  return CUBLAS_STATUS_SUCCESS;
}
unsigned cublasLtDisableCpuInstructionsSetMask(unsigned) {
  return 0;
}

cublasStatus_t cublasLtLoggerSetCallback(cublasLtLoggerCallback_t) {
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtLoggerSetFile(FILE*) {
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtLoggerOpenFile(const char*) {
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtLoggerSetLevel(int) {
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtLoggerSetMask(int) {
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtLoggerForceDisable() {
  return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
