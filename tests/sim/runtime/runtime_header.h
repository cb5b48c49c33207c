/* The runtime's public functions under their exported names, and those of its others that are
   reported like them: what code compiled by nvcc 13 calls to launch a kernel (declared in crt/, for
   C++ only). */
#ifndef __CUDA_API_VERSION_INTERNAL
#define __CUDA_API_VERSION_INTERNAL
#endif
#include <cuda.h>
#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif
/* Of cuda_profiler_api.h and cudaProfiler.h, which come in packages of their own. */
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);

#if CUDART_VERSION >= 13000
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host_function);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               size_t shared_bytes, cudaStream_t stream);
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                    size_t shared_bytes, cudaStream_t stream);
#endif
#ifdef __cplusplus
}
#endif
