// Devices: names, attributes, peers. The figures come from the GPU table; the rest are limits of
// CUDA itself.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "driver_impl.hpp"
#include "gpu_model.hpp"
#include "memory.hpp"

namespace mfusim {
namespace {

// Limits that hold for all data-centre GPUs of the table (CUDA programming guide, "Technical
// Specifications").
int common_attribute(CUdevice_attribute attribute, int fallback) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
      return 1024;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
      return 64;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
      return 0x7fffffff;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
      return 65535;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
      return 48 << 10;
    case CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK:
      return 1 << 10;
    case CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY:
      return 64 << 10;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
    case CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT:
      return 32;
    case CU_DEVICE_ATTRIBUTE_MAX_PITCH:
      return 0x7fffffff;
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
      return 65536;
    case CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT:
    case CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT:
      return 512;
    case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
      return 3;
    case CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO:
      return 2;
    case CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES:
      return CU_MEM_HANDLE_TYPE_NONE;
    case CU_DEVICE_ATTRIBUTE_GPU_OVERLAP:
    case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
    case CU_DEVICE_ATTRIBUTE_ECC_ENABLED:
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
    case CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY:
    case CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS:
    case CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM:
    case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH:
    case CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
      return 1;
    default:
      return fallback;
  }
}

int attribute_of(CUdevice device, CUdevice_attribute attribute) {
  const GpuModel& gpu = gpu_model();
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      return gpu.major;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      return gpu.minor;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      return gpu.sm_count;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
      return gpu.clock_khz;
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:  // what a double-rate bus of the width below would
                                                 // need
      return int(gpu.memory_rate / 2 / (5120 / 8) / 1000);
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
      return 5120;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
      return gpu.l2_bytes;
    case CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE:
      return gpu.l2_bytes / 2;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
      return gpu.threads_per_sm;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
      return gpu.shared_per_sm;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      return gpu.shared_per_sm - (1 << 10);
    case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
      return 1 + device;
    case CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID:
      return device;
    case CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH:
      return gpu.major >= 9;
    default:
      return common_attribute(attribute, 0);
  }
}

CUresult uuid_of(CUuuid* out, CUdevice device) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  memset(out, 0, sizeof *out);
  memcpy(out->bytes, "mfusim-gpu", 10);
  out->bytes[15] = char(device);
  return CUDA_SUCCESS;
}

}  // namespace

CUresult impl_cuDeviceGetCount(int* out) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = gpu_count();
  return CUDA_SUCCESS;
}
CUresult impl_cuDeviceGet(CUdevice* out, int ordinal) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!is_device(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
  *out = ordinal;
  return CUDA_SUCCESS;
}
CUresult impl_cuDeviceGetName(char* out, int room, CUdevice device) {
  if (!out || room <= 0) return CUDA_ERROR_INVALID_VALUE;
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  snprintf(out, size_t(room), "%s", gpu_model().driver_name.c_str());
  return CUDA_SUCCESS;
}
CUresult impl_cuDeviceGetUuid(CUuuid* out, CUdevice device) {
  return uuid_of(out, device);
}
CUresult impl_cuDeviceGetUuid_v2(CUuuid* out, CUdevice device) {
  return uuid_of(out, device);
}
CUresult impl_cuDeviceTotalMem_v2(size_t* out, CUdevice device) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  *out = gpu_model().memory_bytes;
  return CUDA_SUCCESS;
}
CUresult impl_cuDeviceGetAttribute(int* out, CUdevice_attribute attribute, CUdevice device) {
  if (!out || attribute <= 0 || attribute >= CU_DEVICE_ATTRIBUTE_MAX)
    return CUDA_ERROR_INVALID_VALUE;
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  *out = attribute_of(device, attribute);
  return CUDA_SUCCESS;
}
CUresult impl_cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  *major = gpu_model().major;
  *minor = gpu_model().minor;
  return CUDA_SUCCESS;
}
CUresult impl_cuDeviceGetPCIBusId(char* out, int room, CUdevice device) {
  if (!out || room < 13) return CUDA_ERROR_INVALID_VALUE;
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  snprintf(out, size_t(room), "0000:%02x:00.0", 1 + device);
  return CUDA_SUCCESS;
}
CUresult impl_cuDeviceGetByPCIBusId(CUdevice* out, const char* text) {
  unsigned domain = 0, bus = 0;
  if (!out || !text || sscanf(text, "%x:%x", &domain, &bus) != 2) return CUDA_ERROR_INVALID_VALUE;
  if (!is_device(int(bus) - 1)) return CUDA_ERROR_INVALID_DEVICE;
  *out = int(bus) - 1;
  return CUDA_SUCCESS;
}

// Every pair of devices can reach each other.
CUresult impl_cuDeviceCanAccessPeer(int* out, CUdevice a, CUdevice b) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!is_device(a) || !is_device(b)) return CUDA_ERROR_INVALID_DEVICE;
  *out = a != b;
  return CUDA_SUCCESS;
}
CUresult impl_cuDeviceGetP2PAttribute(int* out, CUdevice_P2PAttribute attribute, CUdevice a,
                                      CUdevice b) {
  if (!out || !is_device(a) || !is_device(b) || a == b) return CUDA_ERROR_INVALID_DEVICE;
  *out = attribute != CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK;
  return CUDA_SUCCESS;
}
CUresult impl_cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags) {
  MFUSIM_NEED_CONTEXT(context);
  if (flags) return CUDA_ERROR_INVALID_VALUE;
  const Context* other = contexts().find(peer);
  return !other || other == context ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}
CUresult impl_cuCtxDisablePeerAccess(CUcontext peer) {
  Lock lock;
  return contexts().find(peer) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult impl_cuProfilerStart() {
  return CUDA_SUCCESS;
}
CUresult impl_cuProfilerStop() {
  return CUDA_SUCCESS;
}

}  // namespace mfusim

extern "C" __attribute__((visibility("default"))) double mfusim_peak_flops(int dtype) {
  return mfusim::peak_flops(dtype);
}
extern "C" __attribute__((visibility("default"))) double mfusim_rate_bytes(int which) {
  const mfusim::GpuModel& gpu = mfusim::gpu_model();
  return which == 0 ? gpu.memory_rate : which == 1 ? gpu.peer_rate : gpu.host_rate;
}
