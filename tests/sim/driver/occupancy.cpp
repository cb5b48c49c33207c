// What is asked about a kernel without running it: attributes and occupancy.
#include <algorithm>

#include "driver_impl.hpp"
#include "gpu_model.hpp"
#include "modules.hpp"

namespace mfusim {
namespace {

constexpr int kRegistersPerThread = 32;
constexpr int kMaxBlocksPerSm = 32;
constexpr int kDefaultSharedPerBlock = 48 << 10;
constexpr int kReservedSharedPerBlock = 1 << 10;

CUresult attribute_of(int* out, CUfunction_attribute attribute, const void* handle) {
  Lock lock;
  const Kernel* kernel = find_kernel(handle);
  if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const auto set = kernel->attributes.find(attribute);
  if (set != kernel->attributes.end()) {
    *out = set->second;
    return CUDA_SUCCESS;
  }
  const int arch = gpu_model().major * 10 + gpu_model().minor;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *out = 1024;
      break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *out = kRegistersPerThread;
      break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      *out = arch;
      break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *out = kDefaultSharedPerBlock;
      break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      *out = -1;
      break;
    default:
      *out = 0;
  }
  return CUDA_SUCCESS;
}

CUresult set_attribute(const void* handle, CUfunction_attribute attribute, int value) {
  Lock lock;
  Kernel* kernel = find_kernel(handle);
  if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
  kernel->attributes[attribute] = value;
  return CUDA_SUCCESS;
}

int blocks_per_sm(int block_size, size_t shared_bytes) {
  const GpuModel& gpu = gpu_model();
  const int warps = (block_size + 31) / 32;
  int blocks = std::min(kMaxBlocksPerSm, gpu.threads_per_sm / (warps * 32));
  blocks = std::min(blocks, 65536 / (kRegistersPerThread * warps * 32));
  return std::min(blocks,
                  int(size_t(gpu.shared_per_sm) / (shared_bytes + kReservedSharedPerBlock)));
}

}  // namespace

CUresult impl_cuFuncGetAttribute(int* out, CUfunction_attribute attribute, CUfunction f) {
  return attribute_of(out, attribute, f);
}
CUresult impl_cuFuncSetAttribute(CUfunction f, CUfunction_attribute attribute, int value) {
  return set_attribute(f, attribute, value);
}
CUresult impl_cuKernelGetAttribute(int* out, CUfunction_attribute attribute, CUkernel k, CUdevice) {
  return attribute_of(out, attribute, k);
}
CUresult impl_cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel k,
                                   CUdevice) {
  return set_attribute(k, attribute, value);
}
CUresult impl_cuFuncSetCacheConfig(CUfunction, CUfunc_cache) {
  return CUDA_SUCCESS;
}
CUresult impl_cuFuncSetSharedMemConfig(CUfunction, CUsharedconfig) {
  return CUDA_SUCCESS;
}
CUresult impl_cuKernelSetCacheConfig(CUkernel, CUfunc_cache, CUdevice) {
  return CUDA_SUCCESS;
}

CUresult impl_cuOccupancyMaxActiveBlocksPerMultiprocessor(int* out, CUfunction f, int block_size,
                                                          size_t shared_bytes) {
  Lock lock;
  if (!find_kernel(f)) return CUDA_ERROR_INVALID_HANDLE;
  if (!out || block_size <= 0) return CUDA_ERROR_INVALID_VALUE;
  *out = blocks_per_sm(block_size, shared_bytes);
  return CUDA_SUCCESS;
}
CUresult impl_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* out, CUfunction f,
                                                                   int block_size,
                                                                   size_t shared_bytes,
                                                                   unsigned int) {
  return impl_cuOccupancyMaxActiveBlocksPerMultiprocessor(out, f, block_size, shared_bytes);
}
CUresult impl_cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction f,
                                               CUoccupancyB2DSize, size_t shared_bytes, int limit) {
  Lock lock;
  if (!find_kernel(f)) return CUDA_ERROR_INVALID_HANDLE;
  *block = limit > 0 ? std::min(limit, 1024) : 1024;
  *grid = blocks_per_sm(*block, shared_bytes) * gpu_model().sm_count;
  return CUDA_SUCCESS;
}
CUresult impl_cuOccupancyMaxActiveClusters(int* out, CUfunction f, const CUlaunchConfig*) {
  Lock lock;
  if (!find_kernel(f)) return CUDA_ERROR_INVALID_HANDLE;
  *out = gpu_model().sm_count / 2;
  return CUDA_SUCCESS;
}

}  // namespace mfusim
