// Calls of every family, a few of each: launches of all forms, copies, sets, waits, allocations,
// matrix products, collectives. One source, compiled for each way to the functions (way.hpp).
#define __CUDA_API_VERSION_INTERNAL  // exported names, not the header's macros for them
#include <cuda.h>
#include <cuda_runtime_api.h>
#define __CUDA_RUNTIME_H__  // keeps that header out: its templates overload names of the C API
#ifndef CUBLASAPI
#define CUBLASAPI
#endif
#include <cublasLt.h>
#include <cublas_api.h>
#ifdef COVERAGE_DNN
#include <cudnn.h>
#endif
#include <nccl.h>

#include "mfusim/driver.h"
#include "way.hpp"

extern "C" {
void** __cudaRegisterFatBinary(void* binary);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaRegisterFunction(void** handle, const char* host, char* device, const char* name,
                            int thread_limit, uint3* thread, uint3* block, dim3* block_size,
                            dim3* grid_size, int* warp_size);
cudaError_t cudaLaunchKernel_ptsz(const void* function, dim3 grid, dim3 block, void** arguments,
                                  size_t shared, cudaStream_t stream);
cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t* config, const void* function,
                                     void** arguments);
#if CUDART_VERSION >= 13000  // what nvcc makes of <<<>>>
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               size_t shared, cudaStream_t stream);
#endif
}

namespace {

constexpr size_t kBytes = 1 << 16;
char g_host[kBytes];

[[maybe_unused]] void host_function(void*) {}

#ifdef COVERAGE_DRIVER
CUfunction load_kernel() {
  static const MfusimKernel described[] = {{"coverage_kernel", MFUSIM_COST_GEOMETRY, 0, nullptr}};
  static const MfusimImage image{MFUSIM_IMAGE_MAGIC, 1, 1, described};
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction kernel = nullptr;
  CHECK(cuInit, 0);
  CHECK(cuDeviceGet, &device, 0);
  CHECK(cuDevicePrimaryCtxRetain, &context, device);
  CHECK(cuCtxSetCurrent, context);
  CHECK(cuModuleLoadData, &module, &image);
  CHECK(cuModuleGetFunction, &kernel, module, "coverage_kernel");
  return kernel;
}

void driver_launches(CUfunction f, CUstream stream) {
  CHECK(cuLaunchKernel, f, 2, 1, 1, 32, 1, 1, 0, stream, nullptr, nullptr);
  CHECK(cuLaunchKernel_ptsz, f, 2, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr);
  CHECK(cuLaunchCooperativeKernel, f, 2, 1, 1, 32, 1, 1, 0, stream, nullptr);
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 32;
  config.blockDimY = config.blockDimZ = 1;
  config.hStream = stream;
  CHECK(cuLaunchKernelEx, &config, f, nullptr, nullptr);
  config.hStream = nullptr;
  CHECK(cuLaunchKernelEx_ptsz, &config, f, nullptr, nullptr);
  CHECK(cuLaunchHostFunc, stream, host_function, nullptr);
}

void driver_graph(CUfunction f, CUstream stream) {
  CUgraph graph = nullptr;
  CUgraphExec ready = nullptr;
  CHECK(cuStreamBeginCapture_v2, stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
  CHECK(cuLaunchKernel, f, 2, 1, 1, 32, 1, 1, 0, stream, nullptr, nullptr);
  CHECK(cuStreamEndCapture, stream, &graph);
  CHECK(cuGraphInstantiateWithFlags, &ready, graph, 0);
  CHECK(cuGraphLaunch, ready, stream);
  CHECK(cuGraphLaunch, ready, stream);
}

void driver_calls() {
  const CUfunction f = load_kernel();
  CUstream stream = nullptr;
  CUevent event = nullptr;
  CUdeviceptr memory = 0, pooled = 0;
  CHECK(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
  CHECK(cuEventCreate, &event, 0);
  driver_launches(f, stream);
  driver_graph(f, stream);
  CHECK(cuMemAlloc_v2, &memory, kBytes);
  CHECK(cuMemAllocAsync, &pooled, kBytes, stream);
  CHECK(cuMemcpyHtoD_v2, memory, g_host, 1000);
  CHECK(cuMemcpyHtoDAsync_v2, memory, g_host, 2000, stream);
  CHECK(cuMemcpyDtoHAsync_v2, g_host, memory, 3000, stream);
  CHECK(cuMemcpyAsync, memory, pooled, 4000, stream);
  CHECK(cuMemsetD8_v2, memory, 1, 1000);
  CHECK(cuMemsetD32Async, memory, 1, 1000, stream);
  CHECK(cuEventRecord, event, stream);
  CHECK(cuEventSynchronize, event);
  CHECK(cuMemFreeAsync, pooled, stream);
  CHECK(cuStreamSynchronize, stream);
  CHECK(cuCtxSynchronize);
  CHECK(cuMemFree_v2, memory);
}
#endif

#ifdef COVERAGE_RUNTIME
const void* register_kernel() {
  static struct {
    int magic = 0x466243b1, version = 1;
    const void* data = nullptr;
    void* unused = nullptr;
  } empty_binary;
  static const char address = 0;
  static char name[] = "coverage_runtime_kernel";
  void** const binary = CALL(__cudaRegisterFatBinary)(&empty_binary);
  CALL(__cudaRegisterFunction)
  (binary, &address, name, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  CALL(__cudaRegisterFatBinaryEnd)(binary);
  return &address;
}

void runtime_launches(const void* f, cudaStream_t stream) {
  CHECK(cudaLaunchKernel, f, dim3(2), dim3(32), nullptr, 0, stream);
  CHECK(cudaLaunchKernel_ptsz, f, dim3(2), dim3(32), nullptr, 0, nullptr);
  CHECK(cudaLaunchCooperativeKernel, f, dim3(2), dim3(32), nullptr, 0, stream);
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(2);
  config.blockDim = dim3(32);
  config.stream = stream;
  CHECK(cudaLaunchKernelExC, &config, f, nullptr);
  config.stream = nullptr;
  CHECK(cudaLaunchKernelExC_ptsz, &config, f, nullptr);
  CHECK(cudaLaunchHostFunc, stream, host_function, nullptr);
#if CUDART_VERSION >= 13000
  cudaKernel_t kernel = nullptr;
  CHECK(__cudaGetKernel, &kernel, f);
  CHECK(__cudaLaunchKernel, kernel, dim3(2), dim3(32), nullptr, 0, stream);
#endif
}

void runtime_graph(const void* f, cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  CHECK(cudaStreamBeginCapture, stream, cudaStreamCaptureModeGlobal);
  CHECK(cudaLaunchKernel, f, dim3(2), dim3(32), nullptr, 0, stream);
  CHECK(cudaStreamEndCapture, stream, &graph);
  CHECK(cudaGraphInstantiateWithFlags, &ready, graph, 0);
  CHECK(cudaGraphLaunch, ready, stream);
}

void runtime_calls() {
  const void* const f = register_kernel();
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  void *memory = nullptr, *pooled = nullptr;
  CHECK(cudaStreamCreate, &stream);
  CHECK(cudaEventCreateWithFlags, &event, 0);
  runtime_launches(f, stream);
  runtime_graph(f, stream);
  CHECK(cudaMalloc, &memory, kBytes);
  CHECK(cudaMallocAsync, &pooled, kBytes, stream);
  CHECK(cudaMemcpy, memory, g_host, 1000, cudaMemcpyHostToDevice);
  CHECK(cudaMemcpyAsync, g_host, memory, 2000, cudaMemcpyDeviceToHost, stream);
  CHECK(cudaMemset, memory, 0, 1000);
  CHECK(cudaMemsetAsync, memory, 0, 2000, stream);
  CHECK(cudaEventRecord, event, stream);
  CHECK(cudaEventSynchronize, event);
  CHECK(cudaFreeAsync, pooled, stream);
  CHECK(cudaStreamSynchronize, stream);
  CHECK(cudaDeviceSynchronize);
  CHECK(cudaFree, memory);
}
#endif

#ifdef COVERAGE_BLAS
void blas_calls(cudaStream_t stream) {
  cublasHandle_t handle = nullptr;
  void* memory = nullptr;
  const float one = 1;
  const double one64 = 1;
  CHECK(cudaMalloc, &memory, kBytes);
  auto* const single = static_cast<float*>(memory);
  auto* const twice = static_cast<double*>(memory);
  CHECK(cublasCreate_v2, &handle);
  CHECK(cublasSetStream_v2, handle, stream);
  CHECK(cublasSgemm_v2, handle, CUBLAS_OP_N, CUBLAS_OP_N, 64, 32, 16, &one, single, 64, single, 16,
        &one, single, 64);
  CHECK(cublasDgemm_v2, handle, CUBLAS_OP_N, CUBLAS_OP_N, 32, 32, 8, &one64, twice, 32, twice, 8,
        &one64, twice, 32);
  CHECK(cublasSgemmStridedBatched, handle, CUBLAS_OP_N, CUBLAS_OP_N, 16, 16, 16, &one, single, 16,
        256, single, 16, 256, &one, single, 16, 256, 4);
  CHECK(cublasDestroy_v2, handle);
  CHECK(cudaFree, memory);
}

void lt_calls(cudaStream_t stream) {
  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t square = nullptr;
  void* memory = nullptr;
  const float one = 1;
  CHECK(cudaMalloc, &memory, kBytes);
  CHECK(cublasLtCreate, &handle);
  CHECK(cublasLtMatmulDescCreate, &operation, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  CHECK(cublasLtMatrixLayoutCreate, &square, CUDA_R_16BF, 64, 64, 64);
  for (int i = 0; i < 2; ++i)
    CHECK(cublasLtMatmul, handle, operation, &one, memory, square, memory, square, &one, memory,
          square, memory, square, nullptr, nullptr, 0, stream);
  CHECK(cublasLtDestroy, handle);
  CHECK(cudaFree, memory);
}
#endif

#ifdef COVERAGE_DNN
// One convolution each way.
void dnn_calls(cudaStream_t stream) {
  cudnnHandle_t handle = nullptr;
  cudnnTensorDescriptor_t images = nullptr;
  cudnnFilterDescriptor_t filters = nullptr;
  cudnnConvolutionDescriptor_t shape = nullptr;
  void* memory = nullptr;
  const float one = 1, zero = 0;
  CHECK(cudaMalloc, &memory, kBytes);
  CHECK(cudnnCreate, &handle);
  CHECK(cudnnSetStream, handle, stream);
  CHECK(cudnnCreateTensorDescriptor, &images);
  CHECK(cudnnSetTensor4dDescriptor, images, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2, 4, 8, 8);
  CHECK(cudnnCreateFilterDescriptor, &filters);
  CHECK(cudnnSetFilter4dDescriptor, filters, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 4, 4, 3, 3);
  CHECK(cudnnCreateConvolutionDescriptor, &shape);
  CHECK(cudnnSetConvolution2dDescriptor, shape, 1, 1, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION,
        CUDNN_DATA_FLOAT);
  CHECK(cudnnConvolutionForward, handle, &one, images, memory, filters, memory, shape,
        CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, nullptr, 0, &zero, images, memory);
  CHECK(cudnnConvolutionBackwardData, handle, &one, filters, memory, images, memory, shape,
        CUDNN_CONVOLUTION_BWD_DATA_ALGO_0, nullptr, 0, &zero, images, memory);
  CHECK(cudnnConvolutionBackwardFilter, handle, &one, images, memory, images, memory, shape,
        CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0, nullptr, 0, &zero, filters, memory);
  CHECK(cudnnDestroy, handle);
  CHECK(cudaFree, memory);
}
#endif

#ifdef COVERAGE_NCCL
void nccl_calls(cudaStream_t stream) {
  ncclUniqueId id;
  ncclComm_t communicator = nullptr;
  void* memory = nullptr;
  CHECK(cudaMalloc, &memory, kBytes);
  CHECK(ncclGetUniqueId, &id);
  CHECK(ncclCommInitRank, &communicator, 1, id, 0);
  CHECK(ncclAllReduce, memory, memory, 100, ncclFloat, ncclSum, communicator, stream);
  CHECK(ncclBcast, memory, 100, ncclFloat, 0, communicator, stream);
  CHECK(ncclGroupStart);
  CHECK(ncclAllGather, memory, memory, 100, ncclFloat, communicator, stream);
  CHECK(ncclReduceScatter, memory, memory, 100, ncclFloat, ncclSum, communicator, stream);
  CHECK(ncclGroupEnd);
  CHECK(cudaStreamSynchronize, stream);
  CHECK(ncclCommDestroy, communicator);
  CHECK(cudaFree, memory);
}
#endif

}  // namespace

extern "C" __attribute__((visibility("default"))) int coverage_run() {
#ifdef COVERAGE_DRIVER
  driver_calls();
#endif
#ifdef COVERAGE_RUNTIME
  runtime_calls();
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreate, &stream);
#endif
#ifdef COVERAGE_BLAS
  blas_calls(stream);
  lt_calls(stream);
#endif
#ifdef COVERAGE_DNN
  dnn_calls(stream);
#endif
#ifdef COVERAGE_NCCL
  nccl_calls(stream);
#endif
#ifdef COVERAGE_RUNTIME
  CHECK(cudaStreamSynchronize, stream);
#endif
  return 0;
}

#ifdef COVERAGE_EARLY
// Before main, as libraries do that set themselves up when they are loaded.
[[gnu::constructor]] static void run_early() {
  coverage_run();
}
#endif

#ifdef COVERAGE_MAIN
int main() {
  return coverage_run();
}
#endif
