// NCCL's functions that headers of 2.28.9 lack, as those of 2.32.3 declare them. Structs that older
// headers lack are behind void pointers, which are passed alike.
#pragma once

#include <nccl.h>

extern "C" {
#if NCCL_VERSION_CODE < 22900
ncclResult_t ncclCommGrow(ncclComm_t, int ranks, const ncclUniqueId*, int rank, ncclComm_t* made,
                          ncclConfig_t*);
ncclResult_t pncclCommGrow(ncclComm_t, int ranks, const ncclUniqueId*, int rank, ncclComm_t* made,
                           ncclConfig_t*);
ncclResult_t ncclCommSuspend(ncclComm_t, int flags);
ncclResult_t pncclCommSuspend(ncclComm_t, int flags);
ncclResult_t ncclCommResume(ncclComm_t);
ncclResult_t pncclCommResume(ncclComm_t);
ncclResult_t ncclPutSignal(const void*, size_t count, ncclDataType_t, int peer, void* window,
                           size_t offset, int signal, int context, unsigned flags, ncclComm_t,
                           cudaStream_t);
ncclResult_t pncclPutSignal(const void*, size_t count, ncclDataType_t, int peer, void* window,
                            size_t offset, int signal, int context, unsigned flags, ncclComm_t,
                            cudaStream_t);
ncclResult_t ncclSignal(int peer, int signal, int context, unsigned flags, ncclComm_t,
                        cudaStream_t);
ncclResult_t pncclSignal(int peer, int signal, int context, unsigned flags, ncclComm_t,
                         cudaStream_t);
ncclResult_t ncclWaitSignal(int count, void* signals, ncclComm_t, cudaStream_t);
ncclResult_t pncclWaitSignal(int count, void* signals, ncclComm_t, cudaStream_t);
#endif
#if NCCL_VERSION_CODE < 23200
ncclResult_t ncclAllReduceConfig(const void*, void*, size_t, ncclDataType_t, ncclRedOp_t,
                                 ncclComm_t, cudaStream_t, const void* config);
ncclResult_t pncclAllReduceConfig(const void*, void*, size_t, ncclDataType_t, ncclRedOp_t,
                                  ncclComm_t, cudaStream_t, const void* config);
ncclResult_t ncclReduceConfig(const void*, void*, size_t, ncclDataType_t, ncclRedOp_t, int root,
                              ncclComm_t, cudaStream_t, const void* config);
ncclResult_t pncclReduceConfig(const void*, void*, size_t, ncclDataType_t, ncclRedOp_t, int root,
                               ncclComm_t, cudaStream_t, const void* config);
ncclResult_t ncclBroadcastConfig(const void*, void*, size_t, ncclDataType_t, int root, ncclComm_t,
                                 cudaStream_t, const void* config);
ncclResult_t pncclBroadcastConfig(const void*, void*, size_t, ncclDataType_t, int root, ncclComm_t,
                                  cudaStream_t, const void* config);
ncclResult_t ncclAllGatherConfig(const void*, void*, size_t, ncclDataType_t, ncclComm_t,
                                 cudaStream_t, const void* config);
ncclResult_t pncclAllGatherConfig(const void*, void*, size_t, ncclDataType_t, ncclComm_t,
                                  cudaStream_t, const void* config);
ncclResult_t ncclReduceScatterConfig(const void*, void*, size_t, ncclDataType_t, ncclRedOp_t,
                                     ncclComm_t, cudaStream_t, const void* config);
ncclResult_t pncclReduceScatterConfig(const void*, void*, size_t, ncclDataType_t, ncclRedOp_t,
                                      ncclComm_t, cudaStream_t, const void* config);
ncclResult_t ncclAlltoAllConfig(const void*, void*, size_t, ncclDataType_t, ncclComm_t,
                                cudaStream_t, const void* config);
ncclResult_t pncclAlltoAllConfig(const void*, void*, size_t, ncclDataType_t, ncclComm_t,
                                 cudaStream_t, const void* config);
ncclResult_t ncclGatherConfig(const void*, void*, size_t, ncclDataType_t, int root, ncclComm_t,
                              cudaStream_t, const void* config);
ncclResult_t pncclGatherConfig(const void*, void*, size_t, ncclDataType_t, int root, ncclComm_t,
                               cudaStream_t, const void* config);
ncclResult_t ncclScatterConfig(const void*, void*, size_t, ncclDataType_t, int root, ncclComm_t,
                               cudaStream_t, const void* config);
ncclResult_t pncclScatterConfig(const void*, void*, size_t, ncclDataType_t, int root, ncclComm_t,
                                cudaStream_t, const void* config);
#endif
}
