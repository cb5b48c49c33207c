// Devices and their primary contexts.
#include "device.hpp"

#include <cstring>
#include <map>
#include <mutex>

#include "runtime_impl.hpp"

namespace mfusim::runtime {
namespace {

thread_local int t_device = 0;

struct Primaries {
  std::mutex mutex;
  std::map<int, CUcontext> retained;
};
Primaries& primaries() {
  static Primaries* p = new Primaries;
  return *p;
}

int attribute(int device, CUdevice_attribute which) {
  int value = 0;
  driver().cuDeviceGetAttribute(&value, which, device);
  return value;
}

// The fields that exist in every CUDA major since 11; what is not named stays 0.
void describe(cudaDeviceProp& p, int device) {
  const auto get = [&](CUdevice_attribute which) { return attribute(device, which); };
  driver().cuDeviceGetName(p.name, sizeof p.name, device);
  driver().cuDeviceGetUuid_v2(reinterpret_cast<CUuuid*>(&p.uuid), device);
  driver().cuDeviceTotalMem_v2(&p.totalGlobalMem, device);
  p.sharedMemPerBlock = size_t(get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK));
  p.sharedMemPerMultiprocessor =
      size_t(get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR));
  p.sharedMemPerBlockOptin = size_t(get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  p.reservedSharedMemPerBlock = size_t(get(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK));
  p.regsPerBlock = get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  p.regsPerMultiprocessor = get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  p.warpSize = get(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  p.memPitch = size_t(get(CU_DEVICE_ATTRIBUTE_MAX_PITCH));
  p.maxThreadsPerBlock = get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  p.maxThreadsPerMultiProcessor = get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  p.maxBlocksPerMultiProcessor = get(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  const CUdevice_attribute block[] = {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,
                                      CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
                                      CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z};
  const CUdevice_attribute grid[] = {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,
                                     CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
                                     CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z};
  for (int i = 0; i < 3; ++i) {
    p.maxThreadsDim[i] = get(block[i]);
    p.maxGridSize[i] = get(grid[i]);
  }
  p.totalConstMem = size_t(get(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY));
  p.major = get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  p.minor = get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  p.multiProcessorCount = get(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  p.l2CacheSize = get(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  p.persistingL2CacheMaxSize = get(CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE);
  p.memoryBusWidth = get(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  p.textureAlignment = size_t(get(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT));
  p.surfaceAlignment = size_t(get(CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT));
  p.asyncEngineCount = get(CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT);
  p.canMapHostMemory = p.concurrentKernels = p.ECCEnabled = p.unifiedAddressing = 1;
  p.managedMemory = p.concurrentManagedAccess = p.cooperativeLaunch = p.streamPrioritiesSupported =
      1;
  p.globalL1CacheSupported = p.localL1CacheSupported = p.computePreemptionSupported = 1;
  p.canUseHostPointerForRegisteredMem = p.hostNativeAtomicSupported = 1;
  p.pciBusID = get(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID);
  p.multiGpuBoardGroupID = get(CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID);
#if CUDART_VERSION >= 12000
  p.clusterLaunch = get(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);
  p.memoryPoolsSupported = p.hostRegisterSupported = 1;
#endif
#if CUDART_VERSION < 13000
  p.clockRate = get(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  p.memoryClockRate = get(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
#endif
}

int device_count() {
  int count = 0;
  driver().cuDeviceGetCount(&count);
  return count;
}

cudaError_t change_peer(int device, CUresult (*change)(CUcontext)) {
  MFUSIM_NEED_CONTEXT();
  const CUcontext peer = primary_context(device);
  return peer ? as_error(change(peer)) : cudaErrorInvalidDevice;
}

}  // namespace

CUcontext primary_context(int device) {
  std::lock_guard lock(primaries().mutex);
  CUcontext& context = primaries().retained[device];
  if (!context && driver().cuDevicePrimaryCtxRetain(&context, device) != CUDA_SUCCESS)
    context = nullptr;
  return context;
}

cudaError_t use_context() {
  if (cudaError_t bad = initialize()) return bad;
  CUcontext current = nullptr;
  CUresult result = driver().cuCtxGetCurrent(&current);
  if (result == CUDA_SUCCESS && current) return cudaSuccess;
  if (result == CUDA_SUCCESS) {
    current = primary_context(t_device);
    result = current ? driver().cuCtxSetCurrent(current) : CUDA_ERROR_INVALID_DEVICE;
  }
  return as_error(result);
}

int current_device() {
  CUcontext current = nullptr;
  CUdevice device = t_device;
  if (driver().cuCtxGetCurrent(&current) == CUDA_SUCCESS && current)
    driver().cuCtxGetDevice(&device);
  return device;
}

cudaError_t impl_cudaGetDeviceCount(int* count) {
  return as_error(driver().cuDeviceGetCount(count));
}
cudaError_t impl_cudaGetDevice(int* device) {
  if (!device) return cudaErrorInvalidValue;
  *device = current_device();
  return cudaSuccess;
}
cudaError_t impl_cudaSetDevice(int device) {
  if (device < 0 || device >= device_count()) return cudaErrorInvalidDevice;
  t_device = device;
  const CUcontext context = primary_context(device);
  return context ? as_error(driver().cuCtxSetCurrent(context)) : cudaErrorInvalidDevice;
}
#if CUDART_VERSION >= 12000
cudaError_t impl_cudaInitDevice(int device, unsigned int, unsigned int) {
  return primary_context(device) ? cudaSuccess : cudaErrorInvalidDevice;
}
#endif
cudaError_t impl_cudaSetDeviceFlags(unsigned int flags) {
  return as_error(driver().cuDevicePrimaryCtxSetFlags_v2(current_device(), flags));
}
cudaError_t impl_cudaGetDeviceFlags(unsigned int* flags) {
  int active = 0;
  return as_error(driver().cuDevicePrimaryCtxGetState(current_device(), flags, &active));
}
cudaError_t impl_cudaDeviceReset() {
  const int device = current_device();
  {
    std::lock_guard lock(primaries().mutex);
    primaries().retained.erase(device);
  }
  driver().cuCtxSetCurrent(nullptr);
  return as_error(driver().cuDevicePrimaryCtxReset_v2(device));
}
cudaError_t impl_cudaDeviceGetAttribute(int* value, enum cudaDeviceAttr which, int device) {
  return as_error(driver().cuDeviceGetAttribute(value, CUdevice_attribute(which), device));
}
// CUDA 12 gave the function a new name with its new struct; the old name keeps CUDA 11's layout.
#if CUDART_VERSION >= 12000 && CUDART_VERSION < 13000
#define MFUSIM_GET_DEVICE_PROPERTIES impl_cudaGetDeviceProperties_v2
#else
#define MFUSIM_GET_DEVICE_PROPERTIES impl_cudaGetDeviceProperties
#endif
cudaError_t MFUSIM_GET_DEVICE_PROPERTIES(struct cudaDeviceProp* out, int device) {
  if (!out) return cudaErrorInvalidValue;
  if (device < 0 || device >= device_count()) return cudaErrorInvalidDevice;
  memset(out, 0, sizeof *out);
  describe(*out, device);
  return cudaSuccess;
}
cudaError_t impl_cudaChooseDevice(int* device, const struct cudaDeviceProp*) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t impl_cudaDriverGetVersion(int* version) {
  if (!version) return cudaErrorInvalidValue;
  *version = 0;  // the documented answer when there is no driver
  return initialize() == cudaErrorInsufficientDriver
             ? cudaSuccess
             : as_error(driver().cuDriverGetVersion(version));
}
cudaError_t impl_cudaRuntimeGetVersion(int* version) {
  if (!version) return cudaErrorInvalidValue;
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t impl_cudaDeviceEnablePeerAccess(int device, unsigned int flags) {
  if (flags) return cudaErrorInvalidValue;
  return change_peer(device,
                     [](CUcontext peer) { return driver().cuCtxEnablePeerAccess(peer, 0); });
}
cudaError_t impl_cudaDeviceDisablePeerAccess(int device) {
  return change_peer(device, [](CUcontext peer) { return driver().cuCtxDisablePeerAccess(peer); });
}

}  // namespace mfusim::runtime
