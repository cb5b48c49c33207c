// libnccl: collectives, messages and groups.
#include "communicator.hpp"
#include "exports.hpp"
#include "group.hpp"

using namespace mfusim::nccl;

namespace {

constexpr int kNobody = -1;

bool has_rooted_peer(Kind kind) {
  return kind == Kind::kReduce || kind == Kind::kBroadcast || kind == Kind::kGather ||
         kind == Kind::kScatter || kind == Kind::kSend || kind == Kind::kRecv ||
         kind == Kind::kPutSignal || kind == Kind::kSignal;
}

// A pre-multiplied sum's factor; ncclNumOps + index names it.
ncclResult_t scale_of(ncclComm_t communicator, ncclRedOp_t reduction, double* scale) {
  const int index = static_cast<int>(reduction) - static_cast<int>(ncclNumOps);
  if (index < 0) return ncclSuccess;
  const std::lock_guard<std::mutex> lock(communicator->mutex);
  if (static_cast<size_t>(index) >= communicator->scales.size()) return ncclInvalidArgument;
  *scale = communicator->scales[static_cast<size_t>(index)];
  return ncclSuccess;
}

// The outermost function, where one calls another.
thread_local const char* called_as = nullptr;

ncclResult_t start(const char* exported, ncclComm_t communicator, cudaStream_t stream,
                   Operation operation) {
  if (communicator == nullptr || operation.type < 0 || operation.type >= ncclNumTypes) {
    return ncclInvalidArgument;
  }
  const Core& core = *communicator->core;
  if (has_rooted_peer(operation.kind) && (operation.peer < 0 || operation.peer >= core.size)) {
    return ncclInvalidArgument;
  }
  if (core.error != ncclSuccess) return core.error;
  if (core.aborted) return ncclInvalidUsage;
  const ncclResult_t scaled = scale_of(communicator, operation.reduction, &operation.scale);
  if (scaled != ncclSuccess) return scaled;
  // As the program calls it, without the p.
  operation.api = (called_as != nullptr ? called_as : exported) + 1;
  return enqueue(communicator, operation, stream);
}

}  // namespace

extern "C" {

ncclResult_t pncclAllReduce(const void* send, void* receive, size_t count, ncclDataType_t type,
                            ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return start(__func__, comm, stream,
               {"", Kind::kAllReduce, send, receive, count, type, op, 1, kNobody});
}

ncclResult_t pncclReduce(const void* send, void* receive, size_t count, ncclDataType_t type,
                         ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream) {
  return start(__func__, comm, stream,
               {"", Kind::kReduce, send, receive, count, type, op, 1, root});
}

ncclResult_t pncclReduceScatter(const void* send, void* receive, size_t count, ncclDataType_t type,
                                ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return start(__func__, comm, stream,
               {"", Kind::kReduceScatter, send, receive, count, type, op, 1, kNobody});
}

ncclResult_t pncclBroadcast(const void* send, void* receive, size_t count, ncclDataType_t type,
                            int root, ncclComm_t comm, cudaStream_t stream) {
  return start(__func__, comm, stream,
               {"", Kind::kBroadcast, send, receive, count, type, ncclSum, 1, root});
}

// Through the exported name, as the real one does.
ncclResult_t pncclBcast(void* buffer, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                        cudaStream_t stream) {
  called_as = __func__;
  const ncclResult_t result = ncclBroadcast(buffer, buffer, count, type, root, comm, stream);
  called_as = nullptr;
  return result;
}

ncclResult_t pncclAllGather(const void* send, void* receive, size_t count, ncclDataType_t type,
                            ncclComm_t comm, cudaStream_t stream) {
  return start(__func__, comm, stream,
               {"", Kind::kAllGather, send, receive, count, type, ncclSum, 1, kNobody});
}

#if NCCL_VERSION_CODE >= 22800
ncclResult_t pncclAlltoAll(const void* send, void* receive, size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream) {
  return start(__func__, comm, stream,
               {"", Kind::kAlltoAll, send, receive, count, type, ncclSum, 1, kNobody});
}

ncclResult_t pncclGather(const void* send, void* receive, size_t count, ncclDataType_t type,
                         int root, ncclComm_t comm, cudaStream_t stream) {
  return start(__func__, comm, stream,
               {"", Kind::kGather, send, receive, count, type, ncclSum, 1, root});
}

ncclResult_t pncclScatter(const void* send, void* receive, size_t count, ncclDataType_t type,
                          int root, ncclComm_t comm, cudaStream_t stream) {
  return start(__func__, comm, stream,
               {"", Kind::kScatter, send, receive, count, type, ncclSum, 1, root});
}
#endif

ncclResult_t pncclSend(const void* send, size_t count, ncclDataType_t type, int peer,
                       ncclComm_t comm, cudaStream_t stream) {
  return start(__func__, comm, stream,
               {"", Kind::kSend, send, nullptr, count, type, ncclSum, 1, peer});
}

ncclResult_t pncclRecv(void* receive, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                       cudaStream_t stream) {
  return start(__func__, comm, stream,
               {"", Kind::kRecv, nullptr, receive, count, type, ncclSum, 1, peer});
}

// A configuration changes nothing here.

ncclResult_t pncclAllReduceConfig(const void* send, void* receive, size_t count,
                                  ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                                  cudaStream_t stream, const ncclCollConfig_t*) {
  return start(__func__, comm, stream,
               {"", Kind::kAllReduce, send, receive, count, type, op, 1, kNobody});
}

ncclResult_t pncclReduceConfig(const void* send, void* receive, size_t count, ncclDataType_t type,
                               ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream,
                               const ncclCollConfig_t*) {
  return start(__func__, comm, stream,
               {"", Kind::kReduce, send, receive, count, type, op, 1, root});
}

ncclResult_t pncclReduceScatterConfig(const void* send, void* receive, size_t count,
                                      ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                                      cudaStream_t stream, const ncclCollConfig_t*) {
  return start(__func__, comm, stream,
               {"", Kind::kReduceScatter, send, receive, count, type, op, 1, kNobody});
}

ncclResult_t pncclBroadcastConfig(const void* send, void* receive, size_t count,
                                  ncclDataType_t type, int root, ncclComm_t comm,
                                  cudaStream_t stream, const ncclCollConfig_t*) {
  return start(__func__, comm, stream,
               {"", Kind::kBroadcast, send, receive, count, type, ncclSum, 1, root});
}

ncclResult_t pncclAllGatherConfig(const void* send, void* receive, size_t count,
                                  ncclDataType_t type, ncclComm_t comm, cudaStream_t stream,
                                  const ncclCollConfig_t*) {
  return start(__func__, comm, stream,
               {"", Kind::kAllGather, send, receive, count, type, ncclSum, 1, kNobody});
}

ncclResult_t pncclAlltoAllConfig(const void* send, void* receive, size_t count, ncclDataType_t type,
                                 ncclComm_t comm, cudaStream_t stream, const ncclCollConfig_t*) {
  return start(__func__, comm, stream,
               {"", Kind::kAlltoAll, send, receive, count, type, ncclSum, 1, kNobody});
}

ncclResult_t pncclGatherConfig(const void* send, void* receive, size_t count, ncclDataType_t type,
                               int root, ncclComm_t comm, cudaStream_t stream,
                               const ncclCollConfig_t*) {
  return start(__func__, comm, stream,
               {"", Kind::kGather, send, receive, count, type, ncclSum, 1, root});
}

ncclResult_t pncclScatterConfig(const void* send, void* receive, size_t count, ncclDataType_t type,
                                int root, ncclComm_t comm, cudaStream_t stream,
                                const ncclCollConfig_t*) {
  return start(__func__, comm, stream,
               {"", Kind::kScatter, send, receive, count, type, ncclSum, 1, root});
}

ncclResult_t pncclPutSignal(const void* send, size_t count, ncclDataType_t type, int peer,
                            ncclWindow_t, size_t, int, int, unsigned, ncclComm_t comm,
                            cudaStream_t stream) {
  return start(__func__, comm, stream,
               {"", Kind::kPutSignal, send, nullptr, count, type, ncclSum, 1, peer});
}

ncclResult_t pncclSignal(int peer, int, int, unsigned, ncclComm_t comm, cudaStream_t stream) {
  return start(__func__, comm, stream,
               {"", Kind::kSignal, nullptr, nullptr, 0, ncclInt8, ncclSum, 1, peer});
}

ncclResult_t pncclWaitSignal(int count, ncclWaitSignalDesc_t* signals, ncclComm_t comm,
                             cudaStream_t stream) {
  if (comm == nullptr || count < 1 || signals == nullptr) return ncclInvalidArgument;
  Operation operation{"", Kind::kWaitSignal, nullptr, nullptr, 0, ncclInt8, ncclSum, 1, kNobody};
  for (int i = 0; i < count; ++i) {
    if (signals[i].peer < 0 || signals[i].peer >= comm->core->size) return ncclInvalidArgument;
    operation.awaited.push_back({signals[i].peer, signals[i].opCnt});
  }
  return start(__func__, comm, stream, std::move(operation));
}

ncclResult_t pncclGroupStart() {
  group_start();
  return ncclSuccess;
}

ncclResult_t pncclGroupEnd() {
  return group_end();
}

ncclResult_t pncclGroupSimulateEnd(ncclSimInfo_t* info) {
  double ns = 0;
  const ncclResult_t result = group_simulate_end(&ns);
  if (info != nullptr && ns > 0) info->estimatedTime = static_cast<float>(ns / 1e3);
  return result;
}

}  // extern "C"

MFUSIM_WEAK_TWIN(ncclAllReduce);
MFUSIM_WEAK_TWIN(ncclReduce);
MFUSIM_WEAK_TWIN(ncclReduceScatter);
MFUSIM_WEAK_TWIN(ncclBroadcast);
MFUSIM_WEAK_TWIN(ncclBcast);
MFUSIM_WEAK_TWIN(ncclAllGather);
#if NCCL_VERSION_CODE >= 22800
MFUSIM_WEAK_TWIN(ncclAlltoAll);
MFUSIM_WEAK_TWIN(ncclGather);
MFUSIM_WEAK_TWIN(ncclScatter);
#endif
MFUSIM_WEAK_TWIN(ncclSend);
MFUSIM_WEAK_TWIN(ncclRecv);
MFUSIM_WEAK_TWIN(ncclGroupStart);
MFUSIM_WEAK_TWIN(ncclGroupEnd);
MFUSIM_WEAK_TWIN(ncclGroupSimulateEnd);
MFUSIM_WEAK_TWIN(ncclAllReduceConfig);
MFUSIM_WEAK_TWIN(ncclReduceConfig);
MFUSIM_WEAK_TWIN(ncclReduceScatterConfig);
MFUSIM_WEAK_TWIN(ncclBroadcastConfig);
MFUSIM_WEAK_TWIN(ncclAllGatherConfig);
MFUSIM_WEAK_TWIN(ncclAlltoAllConfig);
MFUSIM_WEAK_TWIN(ncclGatherConfig);
MFUSIM_WEAK_TWIN(ncclScatterConfig);
MFUSIM_WEAK_TWIN(ncclPutSignal);
MFUSIM_WEAK_TWIN(ncclSignal);
MFUSIM_WEAK_TWIN(ncclWaitSignal);
