// cublasXt's handles, and its way of working: each device gets an equal share, operands are
// copied there and results back, and the call returns when all are done.
#include "xt.hpp"

#include <cublas_api.h>
#define CUBLAS_V2_H_
#include <cublasXt.h>

#include <algorithm>
#include <new>
#include <vector>

#include "type_names.hpp"

namespace {

// Larger copies are cut to this.
constexpr size_t kScratchBytes = 1 << 20;

struct Worker {
  int device;
  cudaStream_t stream = nullptr;
  void* scratch = nullptr;
};

}  // namespace

struct cublasXtContext {
  std::vector<Worker> workers;
  std::vector<char> host = std::vector<char>(kScratchBytes);
};

namespace mfusim::blas {
namespace {

cublasStatus_t work(cublasXtContext* handle, const Worker& worker, const Product& share) {
  cudaSetDevice(worker.device);
  const double elements = static_cast<double>(share.m) * static_cast<double>(share.n);
  const size_t bytes = std::min(
      kScratchBytes, static_cast<size_t>(elements * data_type_bytes(share.d_type)) / share.shares);
  if (cudaMemcpyAsync(worker.scratch, handle->host.data(), bytes, cudaMemcpyHostToDevice,
                      worker.stream) != cudaSuccess)
    return CUBLAS_STATUS_MAPPING_ERROR;
  const cublasStatus_t status = perform({&share, 1}, worker.stream);
  cudaMemcpyAsync(handle->host.data(), worker.scratch, bytes, cudaMemcpyDeviceToHost,
                  worker.stream);
  return status;
}

}  // namespace

cublasStatus_t multiply_on_all(cublasXtContext* handle, const Product& product) {
  if (handle == nullptr || handle->workers.empty()) return CUBLAS_STATUS_NOT_INITIALIZED;
  ProductCall call({&product, 1}, nullptr);
  Product share = product;
  share.shares = handle->workers.size();
  int caller = 0;
  cudaGetDevice(&caller);
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  for (const Worker& worker : handle->workers) {
    if (status == CUBLAS_STATUS_SUCCESS) status = work(handle, worker, share);
  }
  for (const Worker& worker : handle->workers) cudaStreamSynchronize(worker.stream);
  cudaSetDevice(caller);
  return call.finish(status);
}

}  // namespace mfusim::blas

extern "C" {

cublasStatus_t cublasXtCreate(cublasXtHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (cudaFree(nullptr) != cudaSuccess) return CUBLAS_STATUS_NOT_INITIALIZED;
  *handle = new (std::nothrow) cublasXtContext;
  return *handle != nullptr ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  for (const Worker& worker : handle->workers) {
    cudaStreamDestroy(worker.stream);
    cudaFree(worker.scratch);
  }
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int count, int devices[]) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (count < 1 || devices == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  int caller = 0;
  cudaGetDevice(&caller);
  for (int i = 0; i < count; ++i) {
    Worker worker{devices[i]};
    if (cudaSetDevice(worker.device) != cudaSuccess ||
        cudaStreamCreateWithFlags(&worker.stream, cudaStreamNonBlocking) != cudaSuccess ||
        cudaMalloc(&worker.scratch, kScratchBytes) != cudaSuccess)
      return CUBLAS_STATUS_INVALID_VALUE;
    handle->workers.push_back(worker);
  }
  cudaSetDevice(caller);
  return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
