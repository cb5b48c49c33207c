// See groups.hpp.
#include "groups.hpp"

#include "../support/check.hpp"

Groups::Groups(const Rank& rank, int tensor_parallel) : rank_(rank), shares_(tensor_parallel) {
  if (rank.world == 1) return;
  world_ = join_communicator(rank);
  if (replicas() == 1) {
    sharers_ = world_;
  } else if (shares_ == 1) {
    replicators_ = world_;
  } else {
    CHECK_NCCL(ncclCommSplit(world_, replica(), share(), &sharers_, nullptr));
    CHECK_NCCL(ncclCommSplit(world_, share(), replica(), &replicators_, nullptr));
  }
}

Groups::~Groups() {
  if (sharers_ != nullptr && sharers_ != world_) ncclCommDestroy(sharers_);
  if (replicators_ != nullptr && replicators_ != world_) ncclCommDestroy(replicators_);
  if (world_ != nullptr) ncclCommDestroy(world_);
}

void ActivationExchange::reduce(void* values, size_t count, ncclDataType_t type,
                                ncclRedOp_t operation) {
  if (sharers_ == nullptr) return;
  CHECK_NCCL(ncclAllReduce(values, values, count, type, operation, sharers_, stream_));
}

GradientExchange::GradientExchange(ncclComm_t replicators, cudaStream_t compute)
    : replicators_(replicators), compute_(compute) {
  if (replicators_ == nullptr) return;
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  CHECK_CUDA(cudaEventCreateWithFlags(&ready_, cudaEventDisableTiming));
  CHECK_CUDA(cudaEventCreateWithFlags(&done_, cudaEventDisableTiming));
}

GradientExchange::~GradientExchange() {
  if (replicators_ == nullptr) return;
  cudaEventDestroy(ready_);
  cudaEventDestroy(done_);
  cudaStreamDestroy(stream_);
}

void GradientExchange::average(void* grads, size_t count, ncclDataType_t type) {
  if (replicators_ == nullptr) return;
  CHECK_CUDA(cudaEventRecord(ready_, compute_));
  CHECK_CUDA(cudaStreamWaitEvent(stream_, ready_, 0));
  CHECK_NCCL(ncclAllReduce(grads, grads, count, type, ncclAvg, replicators_, stream_));
}

void GradientExchange::finish() {
  if (replicators_ == nullptr) return;
  CHECK_CUDA(cudaEventRecord(done_, stream_));
  CHECK_CUDA(cudaStreamWaitEvent(compute_, done_, 0));
}
