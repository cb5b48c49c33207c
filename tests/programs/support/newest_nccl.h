// What NCCL's headers declare since 2.29 (put and signal, growing) and 2.32 (configured
// collectives), for builds with older ones: as those of 2.32.3 have it.
#pragma once

#include <nccl.h>

// Every function has two names.
#define NEWEST_NCCL(name, ...)    \
  ncclResult_t name(__VA_ARGS__); \
  ncclResult_t p##name(__VA_ARGS__)

extern "C" {

#if NCCL_VERSION_CODE < 22700
typedef struct ncclWindow_vidmem* ncclWindow_t;
#endif

#if NCCL_VERSION_CODE < 22900
struct ncclWaitSignalDesc_t {
  int opCnt;  // signals to wait for
  int peer;   // from whom
  int sigIdx;
  int ctx;
};
NEWEST_NCCL(ncclPutSignal, const void* localbuff, size_t count, ncclDataType_t datatype, int peer,
            ncclWindow_t peerWin, size_t peerWinOffset, int sigIdx, int ctx, unsigned int flags,
            ncclComm_t comm, cudaStream_t stream);
NEWEST_NCCL(ncclSignal, int peer, int sigIdx, int ctx, unsigned int flags, ncclComm_t comm,
            cudaStream_t stream);
NEWEST_NCCL(ncclWaitSignal, int nDesc, ncclWaitSignalDesc_t* signalDescs, ncclComm_t comm,
            cudaStream_t stream);
NEWEST_NCCL(ncclCommGetUniqueId, ncclComm_t comm, ncclUniqueId* uniqueId);
NEWEST_NCCL(ncclCommGrow, ncclComm_t comm, int nRanks, const ncclUniqueId* uniqueId, int rank,
            ncclComm_t* newcomm, ncclConfig_t* config);
NEWEST_NCCL(ncclCommSuspend, ncclComm_t comm, int flags);
NEWEST_NCCL(ncclCommResume, ncclComm_t comm);
#endif

#if NCCL_VERSION_CODE < 23200
struct ncclCollConfig_t;
NEWEST_NCCL(ncclAllReduceConfig, const void* sendbuff, void* recvbuff, size_t count,
            ncclDataType_t datatype, ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream,
            const ncclCollConfig_t* config);
NEWEST_NCCL(ncclReduceConfig, const void* sendbuff, void* recvbuff, size_t count,
            ncclDataType_t datatype, ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream,
            const ncclCollConfig_t* config);
NEWEST_NCCL(ncclReduceScatterConfig, const void* sendbuff, void* recvbuff, size_t recvcount,
            ncclDataType_t datatype, ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream,
            const ncclCollConfig_t* config);
NEWEST_NCCL(ncclBroadcastConfig, const void* sendbuff, void* recvbuff, size_t count,
            ncclDataType_t datatype, int root, ncclComm_t comm, cudaStream_t stream,
            const ncclCollConfig_t* config);
NEWEST_NCCL(ncclAllGatherConfig, const void* sendbuff, void* recvbuff, size_t sendcount,
            ncclDataType_t datatype, ncclComm_t comm, cudaStream_t stream,
            const ncclCollConfig_t* config);
NEWEST_NCCL(ncclAlltoAllConfig, const void* sendbuff, void* recvbuff, size_t count,
            ncclDataType_t datatype, ncclComm_t comm, cudaStream_t stream,
            const ncclCollConfig_t* config);
NEWEST_NCCL(ncclGatherConfig, const void* sendbuff, void* recvbuff, size_t count,
            ncclDataType_t datatype, int root, ncclComm_t comm, cudaStream_t stream,
            const ncclCollConfig_t* config);
NEWEST_NCCL(ncclScatterConfig, const void* sendbuff, void* recvbuff, size_t count,
            ncclDataType_t datatype, int root, ncclComm_t comm, cudaStream_t stream,
            const ncclCollConfig_t* config);
#endif

}  // extern "C"
#undef NEWEST_NCCL
