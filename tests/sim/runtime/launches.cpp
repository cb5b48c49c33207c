// Kernel launches: the runtime's handles become the driver's, as the vendor's runtime passes
// CUkernel for CUfunction.
#include "registration.hpp"
#include "runtime_impl.hpp"

namespace mfusim::runtime {
namespace {

CUfunction as_function(CUkernel kernel) {
  return reinterpret_cast<CUfunction>(kernel);
}

cudaError_t launch(CUkernel kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                   cudaStream_t stream) {
  return as_error(driver().cuLaunchKernel(as_function(kernel), grid.x, grid.y, grid.z, block.x,
                                          block.y, block.z, unsigned(shared_bytes), stream,
                                          arguments, nullptr));
}

}  // namespace

cudaError_t impl_cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                  size_t shared_bytes, cudaStream_t stream) {
  MFUSIM_NEED_CONTEXT();
  const CUkernel kernel = kernel_of(function);
  return kernel ? launch(kernel, grid, block, arguments, shared_bytes, stream)
                : cudaErrorInvalidDeviceFunction;
}

cudaError_t impl_cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                     void** arguments) {
  MFUSIM_NEED_CONTEXT();
  if (!config) return cudaErrorInvalidValue;
  const CUkernel kernel = kernel_of(function);
  if (!kernel) return cudaErrorInvalidDeviceFunction;
  CUlaunchConfig c{};
  c.gridDimX = config->gridDim.x;
  c.gridDimY = config->gridDim.y;
  c.gridDimZ = config->gridDim.z;
  c.blockDimX = config->blockDim.x;
  c.blockDimY = config->blockDim.y;
  c.blockDimZ = config->blockDim.z;
  c.sharedMemBytes = unsigned(config->dynamicSmemBytes);
  c.hStream = config->stream;
  c.attrs = reinterpret_cast<CUlaunchAttribute*>(config->attrs);
  c.numAttrs = config->numAttrs;
  return as_error(driver().cuLaunchKernelEx(&c, as_function(kernel), arguments, nullptr));
}

cudaError_t impl_cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                             void** arguments, size_t shared_bytes,
                                             cudaStream_t stream) {
  MFUSIM_NEED_CONTEXT();
  const CUkernel kernel = kernel_of(function);
  if (!kernel) return cudaErrorInvalidDeviceFunction;
  return as_error(driver().cuLaunchCooperativeKernel(as_function(kernel), grid.x, grid.y, grid.z,
                                                     block.x, block.y, block.z,
                                                     unsigned(shared_bytes), stream, arguments));
}

#if CUDART_VERSION >= 13000
cudaError_t impl___cudaGetKernel(cudaKernel_t* kernel, const void* host_function) {
  return impl_cudaGetKernel(kernel, host_function);
}
cudaError_t impl___cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                    size_t shared_bytes, cudaStream_t stream) {
  MFUSIM_NEED_CONTEXT();
  return launch(reinterpret_cast<CUkernel>(kernel), grid, block, arguments, shared_bytes, stream);
}
#endif

}  // namespace mfusim::runtime
