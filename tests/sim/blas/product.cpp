// Performs a product and tells the truth about it.
#include "product.hpp"

#include <cstdio>

#include "type_names.hpp"

namespace mfusim::blas {

double flops_of(const Product& product) {
  const double mnk = static_cast<double>(product.m) * static_cast<double>(product.n) *
                     static_cast<double>(product.k) * static_cast<double>(product.batch);
  return (is_complex(product.a_type) ? 8 : 2) * mnk;
}

cublasStatus_t status_of(CUresult result) {
  switch (result) {
    case CUDA_SUCCESS:
      return CUBLAS_STATUS_SUCCESS;
    case CUDA_ERROR_NOT_INITIALIZED:
    case CUDA_ERROR_NOT_FOUND:
      return CUBLAS_STATUS_NOT_INITIALIZED;
    default:
      return CUBLAS_STATUS_EXECUTION_FAILED;
  }
}

cublasStatus_t perform(const Product& product, cudaStream_t stream) {
  const library::DeviceFacts device = library::current_device();
  if (!is_supported(product, device)) return CUBLAS_STATUS_NOT_SUPPORTED;
  for (const ProductKernel& kernel : kernels_of(product, device)) {
    const library::DriverDoor& door =
        kernel.made_at_run_time ? library::direct_door() : library::runtime_door();
    const CUresult launched = library::launch(door, kernel.work, stream);
    if (launched != CUDA_SUCCESS) return status_of(launched);
    ++mfusim_product_scope()->launches;
  }
  return CUBLAS_STATUS_SUCCESS;
}

ProductCall::ProductCall(const Product& product, cudaStream_t stream)
    : product_(product),
      stream_(stream),
      scope_(mfusim_product_scope()),
      launches_before_(scope_->launches) {
  ++scope_->depth;
}

ProductCall::~ProductCall() {
  --scope_->depth;
}

cublasStatus_t ProductCall::finish(cublasStatus_t status) {
  if (status == CUBLAS_STATUS_SUCCESS && scope_->depth == 1 && library::keeps_truth()) {
    write_truth(scope_->launches - launches_before_);
  }
  return status;
}

void ProductCall::write_truth(int launches) const {
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  cudaStreamIsCapturing(stream_, &capture);
  char line[512];
  std::snprintf(
      line, sizeof line,
      R"({"t":"gemm","api":"%s","m":%lld,"n":%lld,"k":%lld,"batch":%lld,"dtype":"%s","compute":%d,)"
      R"("transa":"%s","transb":"%s","flops":%.0f,"launches":%d,"captured":%d})",
      product_.api, static_cast<long long>(product_.m), static_cast<long long>(product_.n),
      static_cast<long long>(product_.k), static_cast<long long>(product_.batch),
      data_type_name(product_.a_type), product_.compute, operation_name(product_.transa),
      operation_name(product_.transb), flops_of(product_), launches,
      capture == cudaStreamCaptureStatusActive ? 1 : 0);
  library::truth(line);
}

}  // namespace mfusim::blas
