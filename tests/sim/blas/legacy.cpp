// libcublas's oldest interface, beside its products: set-up, its stream, its last error.
#include "legacy.hpp"

namespace mfusim::blas {

cublasHandle_t legacy_handle() {
  static cublasContext context;
  return &context;
}

}  // namespace mfusim::blas

extern "C" {

cublasStatus_t cublasInit(void) {
  return cudaFree(nullptr) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}
cublasStatus_t cublasShutdown(void) {
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetError(void) {
  return mfusim::blas::legacy_handle()->last_error;
}
cublasStatus_t cublasSetKernelStream(cudaStream_t stream) {
  mfusim::blas::legacy_handle()->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
