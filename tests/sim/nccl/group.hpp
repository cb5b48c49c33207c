// ncclGroupStart and ncclGroupEnd: what a thread has asked for and not yet started.
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <functional>

#include "operation.hpp"

namespace mfusim::nccl {

// Making a communicator: a group may make several on one thread, so that no step may wait for a
// rank whose earlier step is still to come. The phases of all are run side by side, in order.
struct Setup {
  ncclComm_t parent = nullptr;  // of a split; two splits of one parent run one after the other
  std::function<ncclResult_t()> phases[3];
};

void group_start();
ncclResult_t group_end();

// Both start at once when no group is open.
ncclResult_t enqueue(ncclComm_t communicator, const Operation& operation, cudaStream_t stream);
ncclResult_t enqueue(Setup setup);

}  // namespace mfusim::nccl
