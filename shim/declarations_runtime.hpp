// The runtime's functions that not every CUDA's headers declare, as those of 11.8 to 13.5 do.
// Structs that some headers lack are behind void pointers, which are passed alike.
#pragma once

#include <cuda_runtime_api.h>

extern "C" {
// What nvcc's code for <<<>>> calls from CUDA 13 on: in no header outside device code. A
// cudaKernel_t is a pointer.
cudaError_t __cudaLaunchKernel(void* kernel, dim3, dim3, void**, size_t, cudaStream_t);
cudaError_t __cudaLaunchKernel_ptsz(void* kernel, dim3, dim3, void**, size_t, cudaStream_t);

#if CUDART_VERSION >= 13000
cudaError_t cudaLaunchCooperativeKernelMultiDevice(void* params, unsigned count, unsigned flags);
cudaError_t cudaThreadSynchronize();
#endif
#if CUDART_VERSION < 13010
cudaError_t cudaLaunchHostFunc_v2(cudaStream_t, cudaHostFn_t, void*, unsigned sync_mode);
cudaError_t cudaLaunchHostFunc_v2_ptsz(cudaStream_t, cudaHostFn_t, void*, unsigned sync_mode);
cudaError_t cudaExecutionCtxSynchronize(void* context);
#endif
#if CUDART_VERSION < 13020
cudaError_t cudaMemcpyWithAttributesAsync(void*, const void*, size_t bytes, void* attributes,
                                          cudaStream_t);
cudaError_t cudaMemcpyWithAttributesAsync_ptsz(void*, const void*, size_t bytes, void* attributes,
                                               cudaStream_t);
cudaError_t cudaMemcpy3DWithAttributesAsync(void* op, unsigned long long flags, cudaStream_t);
cudaError_t cudaMemcpy3DWithAttributesAsync_ptsz(void* op, unsigned long long flags, cudaStream_t);
#endif
#if CUDART_VERSION < 13030
cudaError_t cudaStreamBeginRecaptureToGraph(cudaStream_t, cudaStreamCaptureMode, cudaGraph_t,
                                            void* callback);
cudaError_t cudaStreamBeginRecaptureToGraph_ptsz(cudaStream_t, cudaStreamCaptureMode, cudaGraph_t,
                                                 void* callback);
#endif
}
