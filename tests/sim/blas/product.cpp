// Performs a product and tells the truth about it.
#include "product.hpp"

#include <cstdio>
#include <utility>

#include "type_names.hpp"

namespace mfusim::blas {

namespace {

const char* kind_name(Kind kind) {
  constexpr const char* kNames[] = {"gemm",  "gemm3m", "syrk", "herk", "syr2k", "her2k", "syrkx",
                                    "herkx", "symm",   "hemm", "trmm", "trsm",  "gemv"};
  return kNames[static_cast<int>(kind)];
}

// Multiplications and additions of one real product.
double real_flops(const Product& p) {
  const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n),
             k = static_cast<double>(p.k);
  const double side = p.right ? n : m;
  switch (p.kind) {
    case Kind::kGemm:
    case Kind::kGemm3m:
      return 2 * m * n * k;
    case Kind::kGemv:
      return 2 * m * n;
    case Kind::kSymm:
    case Kind::kHemm:
      return 2 * m * n * side;
    case Kind::kTrmm:
    case Kind::kTrsm:
      return m * n * side;
    case Kind::kSyr2k:
    case Kind::kHer2k:
      return 2 * k * n * (n + 1);
    default:
      return k * n * (n + 1);
  }
}

}  // namespace

double flops_of(const Product& product) {
  const double terms = is_complex(product.a_type) ? 4 : 1;
  return terms * real_flops(product) * static_cast<double>(product.batch * product.repeat);
}

double flops_of(std::span<const Product> products) {
  double sum = 0;
  for (const Product& product : products) sum += flops_of(product);
  return sum;
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

cublasStatus_t perform(std::span<const Product> products, cudaStream_t stream) {
  const library::DeviceFacts device = library::current_device();
  for (const Product& product : products)
    if (!is_supported(product, device)) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (products.empty()) return CUBLAS_STATUS_SUCCESS;
  const bool grouped = products[0].grouped;
  const std::vector<ProductKernel> kernels =
      grouped ? std::vector{grouped_kernel_of(products, device)} : kernels_of(products[0], device);
  for (const ProductKernel& kernel : kernels) {
    const library::DriverDoor& door =
        kernel.made_at_run_time ? library::direct_door() : library::runtime_door();
    const CUresult launched = library::launch(door, kernel.work, stream);
    if (launched != CUDA_SUCCESS) return status_of(launched);
    ++mfusim_product_scope()->launches;
  }
  return CUBLAS_STATUS_SUCCESS;
}

ProductCall::ProductCall(std::span<const Product> products, cudaStream_t stream)
    : products_(products),
      stream_(stream),
      scope_(mfusim_product_scope()),
      launches_before_(scope_->launches) {
  ++scope_->depth;
}

ProductCall::~ProductCall() {
  --scope_->depth;
}

cublasStatus_t ProductCall::finish(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS || scope_->depth != 1 || !library::keeps_truth())
    return status;
  int launches = scope_->launches - launches_before_;
  for (const Product& product : products_) write_truth(product, std::exchange(launches, 0));
  return status;
}

void ProductCall::write_truth(const Product& product, int launches) const {
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  cudaStreamIsCapturing(stream_, &capture);
  char line[512];
  std::snprintf(
      line, sizeof line,
      R"({"t":"gemm","api":"%s","kind":"%s","side":"%s","m":%lld,"n":%lld,"k":%lld,"batch":%lld,)"
      R"("grouped":%d,"on_device":%d,"repeat":%lld,"dtype":"%s","dtype_d":"%s","compute":%d,"transa":"%s",)"
      R"("transb":"%s","flops":%.0f,"launches":%d,"captured":%d,)"
      R"("piece":%llu,"kernels":%u})",
      product.api, kind_name(product.kind), product.right ? "R" : "L",
      static_cast<long long>(product.m), static_cast<long long>(product.n),
      static_cast<long long>(product.k), static_cast<long long>(product.batch), product.grouped,
      product.sizes_on_device, static_cast<long long>(product.repeat),
      data_type_name(product.a_type), data_type_name(product.d_type), product.compute,
      operation_name(product.transa), operation_name(product.transb), flops_of(product), launches,
      capture == cudaStreamCaptureStatusActive ? 1 : 0,
      static_cast<unsigned long long>(piece_.number()), piece_.kernels());
  library::truth(line);
}

}  // namespace mfusim::blas
