// The runtime double, used as code that nvcc compiled uses it: registered functions, <<<>>> by its
// parts, last errors.
#include <cuda_runtime_api.h>

#include <cstring>
#include <vector>

#include "expect.hpp"

#define OK(call) EXPECT((call) == cudaSuccess)

// What nvcc's start-up code calls; the vendor declares them in headers for its own compiler alone.
extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaUnregisterFatBinary(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*,
                            dim3*, int*);
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, cudaStream_t);
cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, size_t*, void*);
}

namespace {

void host_stub() {}
void never_registered() {}

void check_launches() {
  void** binary = __cudaRegisterFatBinary(nullptr);
  const auto* function = reinterpret_cast<const char*>(&host_stub);
  char name[] = "_Z9scale_addPfS_i";
  __cudaRegisterFunction(binary, function, name, name, -1, nullptr, nullptr, nullptr, nullptr,
                         nullptr);
  __cudaRegisterFatBinaryEnd(binary);
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  for (int i = 0; i < 5; ++i) {
    __cudaPushCallConfiguration(dim3(4), dim3(256), 0, stream);
    dim3 grid, block;
    size_t shared_bytes;
    cudaStream_t popped;
    OK(__cudaPopCallConfiguration(&grid, &block, &shared_bytes, &popped));
    EXPECT(grid.x == 4 && block.x == 256 && popped == stream);
    OK(cudaLaunchKernel(function, grid, block, nullptr, shared_bytes, popped));
  }
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(2);
  config.blockDim = dim3(64);
  config.stream = stream;
  OK(cudaLaunchKernelExC(&config, function, nullptr));
  OK(cudaLaunchCooperativeKernel(function, dim3(1), dim3(32), nullptr, 0, stream));
  OK(cudaStreamSynchronize(stream));
  OK(cudaStreamDestroy(stream));
  EXPECT(cudaLaunchKernel(reinterpret_cast<const void*>(&never_registered), dim3(1), dim3(1),
                          nullptr, 0, nullptr) == cudaErrorInvalidDeviceFunction);
  EXPECT(cudaPeekAtLastError() == cudaErrorInvalidDeviceFunction);
  EXPECT(cudaGetLastError() == cudaErrorInvalidDeviceFunction);
  EXPECT(cudaGetLastError() == cudaSuccess);
}

void check_memory() {
  std::vector<char> sent(4096, 3), got(4096);
  void *device, *pinned;
  OK(cudaMalloc(&device, sent.size()));
  OK(cudaMallocHost(&pinned, sent.size()));
  OK(cudaMemcpy(device, sent.data(), sent.size(), cudaMemcpyHostToDevice));
  OK(cudaMemset(device, 1, 16));
  OK(cudaMemcpy(got.data(), device, got.size(), cudaMemcpyDeviceToHost));
  EXPECT(got[15] == 1 && got[16] == 3);
  cudaPointerAttributes attributes;
  OK(cudaPointerGetAttributes(&attributes, device));
  EXPECT(attributes.type == cudaMemoryTypeDevice);
  OK(cudaPointerGetAttributes(&attributes, pinned));
  EXPECT(attributes.type == cudaMemoryTypeHost);
  OK(cudaPointerGetAttributes(&attributes, got.data()));
  EXPECT(attributes.type == cudaMemoryTypeUnregistered);
  OK(cudaFree(device));
  OK(cudaFreeHost(pinned));
  EXPECT(cudaMalloc(&device, size_t(1) << 50) == cudaErrorMemoryAllocation);
  EXPECT(cudaGetLastError() == cudaErrorMemoryAllocation);
}

void check_device() {
  cudaDeviceProp properties;
  OK(cudaGetDeviceProperties(&properties, 0));
  EXPECT(strcmp(properties.name, "NVIDIA H100 80GB HBM3") == 0);
  EXPECT(properties.multiProcessorCount == 132 && properties.major == 9 &&
         properties.warpSize == 32);
  EXPECT(strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation") == 0);
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult status;
  OK(cudaGetDriverEntryPointByVersion("cuLaunchKernel", &entry, 12000, cudaEnableDefault, &status));
  EXPECT(entry && status == cudaDriverEntryPointSuccess);
  OK(cudaGetDriverEntryPointByVersion("cuNoSuchThing", &entry, 12000, cudaEnableDefault, &status));
  EXPECT(!entry && status == cudaDriverEntryPointSymbolNotFound);
}

}  // namespace

int main() {
  check_device();
  check_memory();
  check_launches();
  OK(cudaDeviceSynchronize());
  return 0;
}
