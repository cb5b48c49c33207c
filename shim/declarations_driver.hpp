// The driver's functions that headers of CUDA 13.0 lack, as those of 13.5 declare them. Structs
// that older headers lack are behind void pointers, which are passed alike.
#pragma once

#include <cuda.h>

extern "C" {
#if CUDA_VERSION < 13010
CUresult cuLaunchHostFunc_v2(CUstream, CUhostFn, void*, unsigned sync_mode);
CUresult cuLaunchHostFunc_v2_ptsz(CUstream, CUhostFn, void*, unsigned sync_mode);
CUresult cuStreamBeginCaptureToCig(CUstream, void* params);
CUresult cuStreamBeginCaptureToCig_ptsz(CUstream, void* params);
CUresult cuStreamEndCaptureToCig(CUstream);
CUresult cuStreamEndCaptureToCig_ptsz(CUstream);
CUresult cuMulticastBindMem_v2(unsigned long long multicast, CUdevice, size_t multicast_offset,
                               unsigned long long memory, size_t offset, size_t bytes,
                               unsigned long long flags);
CUresult cuMulticastBindAddr_v2(unsigned long long multicast, CUdevice, size_t multicast_offset,
                                CUdeviceptr, size_t bytes, unsigned long long flags);
#endif
#if CUDA_VERSION < 13020
CUresult cuMemcpyWithAttributesAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                     void* attributes, CUstream);
CUresult cuMemcpyWithAttributesAsync_ptsz(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                          void* attributes, CUstream);
CUresult cuMemcpy3DWithAttributesAsync(void* op, unsigned long long flags, CUstream);
CUresult cuMemcpy3DWithAttributesAsync_ptsz(void* op, unsigned long long flags, CUstream);
#endif
#if CUDA_VERSION < 13030
CUresult cuStreamBeginRecaptureToGraph(CUstream, CUstreamCaptureMode, CUgraph, void* callback,
                                       void* data);
CUresult cuStreamBeginRecaptureToGraph_ptsz(CUstream, CUstreamCaptureMode, CUgraph, void* callback,
                                            void* data);
#endif
#if CUDA_VERSION < 13040
CUresult cuGraphAddNode_v3(CUgraphNode*, CUgraph, const CUgraphNode* dependencies,
                           const void* dependency_data, size_t count, void* params);
#endif
#if CUDA_VERSION < 13050
CUresult cuFabricCpyBatchAsync(size_t count, void* ops, unsigned long long flags, CUstream);
CUresult cuFabricCpyBatchAsync_ptsz(size_t count, void* ops, unsigned long long flags, CUstream);
#endif
}
