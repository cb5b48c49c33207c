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
// As group_end, but that nothing of what was asked for is done: the outermost end, and only that,
// tells how long it would take on the device.
ncclResult_t group_simulate_end(double* ns);

// Both start at once when no group is open.
ncclResult_t enqueue(ncclComm_t communicator, const Operation& operation, cudaStream_t stream);
ncclResult_t enqueue(Setup setup);

}  // namespace mfusim::nccl
