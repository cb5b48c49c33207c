// LAUNCH(kernel, grid, block, shared_bytes, stream, arguments...): kernel<<<...>>>(...) with nvcc;
// without it the same kernels are registered with the runtime by name, and run on a simulated GPU
// only.
#pragma once

#include <cuda_runtime.h>

#ifdef __CUDACC__

#define LAUNCH(kernel, grid, block, shared_bytes, stream, ...) \
  kernel<<<grid, block, shared_bytes, stream>>>(__VA_ARGS__)
#define KERNEL_ADDRESS(kernel) reinterpret_cast<const void*>(&kernel)

#else

#include <dlfcn.h>

#include <bit>
#include <tuple>

// Never executed on the host: they let the kernels' bodies compile.
inline const uint3 threadIdx{}, blockIdx{};
inline const dim3 blockDim{}, gridDim{};
inline void __syncthreads() {}
template <class T>
T atomicAdd(T* address, T value) {
  return *address += value;
}
inline int atomicMax(int* address, int value) {
  return *address = *address > value ? *address : value;
}
inline int __float_as_int(float value) {
  return std::bit_cast<int>(value);
}
inline float __int_as_float(int value) {
  return std::bit_cast<float>(value);
}

extern "C" {
void** __cudaRegisterFatBinary(void* binary);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaRegisterFunction(void** handle, const char* host, char* device, const char* name,
                            int thread_limit, uint3* thread, uint3* block, dim3* block_size,
                            dim3* grid_size, int* warp_size);
}

// Makes a kernel known to the runtime, as a binary of its own at its first use. Its mangled name is
// the linker's, which needs the program's symbols to be exported (-rdynamic).
template <auto Kernel>
const void* kernel_address() {
  static const void* const address = [] {
    static struct {
      int magic = 0x466243b1, version = 1;
      const void* data = nullptr;
      void* unused = nullptr;
    } empty_binary;
    auto* const kernel = reinterpret_cast<const char*>(Kernel);
    Dl_info found{};
    if (dladdr(kernel, &found) == 0 || found.dli_sname == nullptr) return kernel;
    auto* name = const_cast<char*>(found.dli_sname);
    void** const handle = __cudaRegisterFatBinary(&empty_binary);
    __cudaRegisterFunction(handle, kernel, name, name, -1, nullptr, nullptr, nullptr, nullptr,
                           nullptr);
    __cudaRegisterFatBinaryEnd(handle);
    return kernel;
  }();
  return address;
}

template <class... Parameters>
void launch_with(const void* address, void (*)(Parameters...), dim3 grid, dim3 block,
                 size_t shared_bytes, cudaStream_t stream, Parameters... arguments) {
  void* pointers[] = {static_cast<void*>(&arguments)..., nullptr};
  cudaLaunchKernel(address, grid, block, pointers, shared_bytes, stream);
}

#define LAUNCH(kernel, grid, block, shared_bytes, stream, ...) \
  launch_with(kernel_address<&kernel>(), &kernel, grid, block, shared_bytes, stream, __VA_ARGS__)
#define KERNEL_ADDRESS(kernel) kernel_address<&kernel>()

#endif
