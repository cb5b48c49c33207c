// Questions about kernels: handles, names, attributes, occupancy; and driver entry points.
#include <cstring>

#include "registration.hpp"
#include "runtime_impl.hpp"

namespace mfusim::runtime {
namespace {

#define MFUSIM_NEED_KERNEL(kernel, host_function)   \
  MFUSIM_NEED_CONTEXT();                            \
  const CUkernel kernel = kernel_of(host_function); \
  if (!kernel) return cudaErrorInvalidDeviceFunction

CUfunction as_function(CUkernel kernel) {
  return reinterpret_cast<CUfunction>(kernel);
}

cudaError_t entry_point(const char* symbol, void** out, unsigned version, unsigned long long flags,
                        enum cudaDriverEntryPointQueryResult* status) {
  if (!symbol || !out) return cudaErrorInvalidValue;
  cuuint64_t asked = CU_GET_PROC_ADDRESS_DEFAULT;
  if (flags == cudaEnablePerThreadDefaultStream ||
      (flags == cudaEnableDefault && per_thread_default())) {
    asked = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  } else if (flags == cudaEnableLegacyStream) {
    asked = CU_GET_PROC_ADDRESS_LEGACY_STREAM;
  }
  CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  const CUresult result = driver().cuGetProcAddress_v2(symbol, out, int(version), asked, &found);
  if (status) *status = cudaDriverEntryPointQueryResult(found);
  // A name that is not there is an answer, not an error, as long as somebody reads the status.
  return result == CUDA_ERROR_NOT_FOUND && status ? cudaSuccess : as_error(result);
}

}  // namespace

cudaError_t impl_cudaGetKernel(cudaKernel_t* out, const void* host_function) {
  MFUSIM_NEED_KERNEL(kernel, host_function);
  *out = reinterpret_cast<cudaKernel_t>(kernel);
  return cudaSuccess;
}
cudaError_t impl_cudaGetFuncBySymbol(cudaFunction_t* out, const void* host_function) {
  MFUSIM_NEED_KERNEL(kernel, host_function);
  return as_error(driver().cuKernelGetFunction(out, kernel));
}
cudaError_t impl_cudaFuncGetName(const char** out, const void* host_function) {
  MFUSIM_NEED_KERNEL(kernel, host_function);
  return as_error(driver().cuKernelGetName(out, kernel));
}
cudaError_t impl_cudaFuncGetParamInfo(const void* host_function, size_t index, size_t* offset,
                                      size_t* size) {
  MFUSIM_NEED_KERNEL(kernel, host_function);
  return as_error(driver().cuFuncGetParamInfo(as_function(kernel), index, offset, size));
}
cudaError_t impl_cudaFuncSetCacheConfig(const void* host_function, enum cudaFuncCache config) {
  MFUSIM_NEED_KERNEL(kernel, host_function);
  return as_error(driver().cuFuncSetCacheConfig(as_function(kernel), CUfunc_cache(config)));
}
cudaError_t impl_cudaFuncSetAttribute(const void* host_function, enum cudaFuncAttribute attribute,
                                      int value) {
  MFUSIM_NEED_KERNEL(kernel, host_function);
  return as_error(
      driver().cuFuncSetAttribute(as_function(kernel), CUfunction_attribute(attribute), value));
}
cudaError_t impl_cudaFuncGetAttributes(struct cudaFuncAttributes* out, const void* host_function) {
  MFUSIM_NEED_KERNEL(kernel, host_function);
  const auto get = [&](CUfunction_attribute which) {
    int value = 0;
    driver().cuFuncGetAttribute(&value, which, as_function(kernel));
    return value;
  };
  memset(out, 0, sizeof *out);
  out->sharedSizeBytes = size_t(get(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
  out->maxThreadsPerBlock = get(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  out->numRegs = get(CU_FUNC_ATTRIBUTE_NUM_REGS);
  out->ptxVersion = get(CU_FUNC_ATTRIBUTE_PTX_VERSION);
  out->binaryVersion = get(CU_FUNC_ATTRIBUTE_BINARY_VERSION);
  out->maxDynamicSharedSizeBytes = get(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  out->preferredShmemCarveout = get(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
  return cudaSuccess;
}

cudaError_t impl_cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* out, const void* host_function,
                                                               int block_size,
                                                               size_t shared_bytes) {
  return impl_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(out, host_function, block_size,
                                                                     shared_bytes, 0);
}
cudaError_t impl_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* out, const void* host_function, int block_size, size_t shared_bytes, unsigned int flags) {
  MFUSIM_NEED_KERNEL(kernel, host_function);
  return as_error(driver().cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      out, as_function(kernel), block_size, shared_bytes, flags));
}
cudaError_t impl_cudaOccupancyMaxActiveClusters(int* out, const void* host_function,
                                                const cudaLaunchConfig_t*) {
  MFUSIM_NEED_KERNEL(kernel, host_function);
  return as_error(driver().cuOccupancyMaxActiveClusters(out, as_function(kernel), nullptr));
}

cudaError_t impl_cudaGetDriverEntryPoint(const char* symbol, void** out, unsigned long long flags,
                                         enum cudaDriverEntryPointQueryResult* status) {
  return entry_point(symbol, out, CUDART_VERSION, flags, status);
}
#if CUDART_VERSION >= 12050
cudaError_t impl_cudaGetDriverEntryPointByVersion(const char* symbol, void** out,
                                                  unsigned int version, unsigned long long flags,
                                                  enum cudaDriverEntryPointQueryResult* status) {
  return entry_point(symbol, out, version, flags, status);
}
#endif

}  // namespace mfusim::runtime
