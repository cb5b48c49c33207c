// The same kernel launched in every way the runtime and the driver offer.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdio>

#include "support/check.hpp"
#include "support/launch.hpp"

namespace launch_forms {

__global__ void increment(int* data, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) data[i] += 1;
}

constexpr int kCount = 1024, kBlock = 128, kGrid = kCount / kBlock;

void plain(int* data, cudaStream_t stream) {
  LAUNCH(increment, kGrid, kBlock, 0, stream, data, kCount);
  CHECK_CUDA(cudaGetLastError());
}

void by_function(int* data, cudaStream_t stream) {
  int count = kCount;
  void* arguments[] = {&data, &count};
  CHECK_CUDA(
      cudaLaunchKernel(KERNEL_ADDRESS(increment), dim3(kGrid), dim3(kBlock), arguments, 0, stream));
}

void cooperative(int* data, cudaStream_t stream) {
  int count = kCount;
  void* arguments[] = {&data, &count};
  CHECK_CUDA(cudaLaunchCooperativeKernel(KERNEL_ADDRESS(increment), dim3(kGrid), dim3(kBlock),
                                         arguments, 0, stream));
}

// With clusters of two blocks, as sm_90 and later have them.
void with_attributes(int* data, cudaStream_t stream) {
  int count = kCount;
  void* arguments[] = {&data, &count};
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = 2;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(kGrid);
  config.blockDim = dim3(kBlock);
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = 1;
  CHECK_CUDA(cudaLaunchKernelExC(&config, KERNEL_ADDRESS(increment), arguments));
}

template <class Function>
Function driver_function(const char* name, unsigned version) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult status{};
  CHECK_CUDA(cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &status));
  if (status != cudaDriverEntryPointSuccess) fail(name, "not found", __FILE__, __LINE__);
  return reinterpret_cast<Function>(found);
}

void by_driver(int* data, cudaStream_t stream) {
  cudaFunction_t function = nullptr;
  CHECK_CUDA(cudaGetFuncBySymbol(&function, KERNEL_ADDRESS(increment)));
  int count = kCount;
  void* arguments[] = {&data, &count};
  const auto launch = driver_function<decltype(&cuLaunchKernel)>("cuLaunchKernel", 7000);
  const CUresult launched =
      launch(function, kGrid, 1, 1, kBlock, 1, 1, 0, stream, arguments, nullptr);
  if (launched != CUDA_SUCCESS) fail("cuLaunchKernel", "failed", __FILE__, __LINE__);

  CUlaunchConfig config{};
  config.gridDimX = kGrid;
  config.blockDimX = kBlock;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.hStream = stream;
  const auto launch_ex = driver_function<decltype(&cuLaunchKernelEx)>("cuLaunchKernelEx", 11060);
  if (launch_ex(&config, function, arguments, nullptr) != CUDA_SUCCESS) {
    fail("cuLaunchKernelEx", "failed", __FILE__, __LINE__);
  }
}

}  // namespace launch_forms

int main() {
  using namespace launch_forms;
  cudaStream_t stream = nullptr;
  CHECK_CUDA(cudaStreamCreate(&stream));
  int* data = nullptr;
  CHECK_CUDA(cudaMalloc(&data, kCount * sizeof(int)));
  CHECK_CUDA(cudaMemsetAsync(data, 0, kCount * sizeof(int), stream));
  plain(data, stream);
  by_function(data, stream);
  cooperative(data, stream);
  with_attributes(data, stream);
  by_driver(data, stream);
  plain(data, nullptr);
  plain(data, cudaStreamPerThread);
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK_CUDA(cudaFree(data));
  CHECK_CUDA(cudaStreamDestroy(stream));
  std::printf("8 launches in 6 forms\n");
  return 0;
}
