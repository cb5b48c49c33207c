// See group.hpp. One kernel per communicator and group, as NCCL fuses them.
#include "group.hpp"

#include <algorithm>
#include <vector>

#include "batch.hpp"
#include "kernels.hpp"

namespace mfusim::nccl {
namespace {

struct Asked {
  ncclComm_t communicator;
  Operation operation;
  cudaStream_t stream;
};

struct Group {
  int depth = 0;
  std::vector<Asked> operations;
  std::vector<Setup> setups;
};

Group& group() {
  thread_local Group open;
  return open;
}

// Makes a communicator's device current for a while.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    cudaGetDevice(&before_);
    if (before_ != device) cudaSetDevice(device);
  }
  ~OnDevice() { cudaSetDevice(before_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
};

// Lets the other streams of a launch wait for it, and it for them.
class JoinedStreams {
 public:
  JoinedStreams(cudaStream_t main, const std::vector<cudaStream_t>& others)
      : main_(main), others_(others) {
    for (cudaStream_t other : others_) order(other, main_);
  }
  ~JoinedStreams() {
    for (cudaStream_t other : others_) order(main_, other);
  }
  JoinedStreams(const JoinedStreams&) = delete;
  JoinedStreams& operator=(const JoinedStreams&) = delete;

 private:
  static void order(cudaStream_t first, cudaStream_t then) {
    cudaEvent_t event = nullptr;
    if (cudaEventCreateWithFlags(&event, cudaEventDisableTiming) != cudaSuccess) return;
    cudaEventRecord(event, first);
    cudaStreamWaitEvent(then, event, 0);
    cudaEventDestroy(event);
  }

  cudaStream_t main_;
  const std::vector<cudaStream_t>& others_;
};

library::KernelWork kernel_of(const std::vector<Operation>& operations, int ranks) {
  library::KernelWork work;
  work.name = kernel_name(operations.front());
  Transfer largest;
  double bytes = 0;
  for (const Operation& operation : operations) {
    if (kernel_name(operation) != work.name) work.name = generic_kernel_name();
    const Transfer transfer = transfer_of(operation, ranks);
    if (transfer.ns > largest.ns) largest = transfer;
    bytes += 2 * static_cast<double>(accounted_bytes(operation, ranks));
  }
  work.grid.x = largest.channels;
  work.block.x = largest.block;
  work.cluster = largest.channels % 4 == 0 ? 4 : 1;
  work.cost.bytes = bytes;
  work.cost.dtype = -1;
  work.cost.is_comm = 1;
  return work;
}

ncclResult_t launch_batch(ncclComm_t communicator, std::vector<Operation> operations,
                          const std::vector<cudaStream_t>& streams) {
  const OnDevice device(communicator->core->device);
  const cudaStream_t main = streams.front();
  const std::vector<cudaStream_t> others(streams.begin() + 1, streams.end());
  const JoinedStreams joined(main, others);
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(main, &capture) != cudaSuccess) return ncclUnhandledCudaError;
  unsigned long long stream_id = 0;
  cudaStreamGetId(main, &stream_id);

  library::KernelWork work = kernel_of(operations, communicator->core->size);
  auto* batch = new Batch(communicator->core, std::move(operations), stream_id,
                          capture == cudaStreamCaptureStatusActive);
  work.cost.poll = &Batch::poll;
  work.cost.context = batch;
  if (library::launch(library::runtime_door(), work, main) == CUDA_SUCCESS) return ncclSuccess;
  Batch::discard(batch);
  return ncclUnhandledCudaError;
}

ncclResult_t launch_all(const std::vector<Asked>& asked) {
  std::vector<ncclComm_t> communicators;
  for (const Asked& one : asked) {
    if (std::find(communicators.begin(), communicators.end(), one.communicator) ==
        communicators.end()) {
      communicators.push_back(one.communicator);
    }
  }
  for (ncclComm_t communicator : communicators) {
    std::vector<Operation> operations;
    std::vector<cudaStream_t> streams;
    for (const Asked& one : asked) {
      if (one.communicator != communicator) continue;
      operations.push_back(one.operation);
      if (std::find(streams.begin(), streams.end(), one.stream) == streams.end()) {
        streams.push_back(one.stream);
      }
    }
    const ncclResult_t result = launch_batch(communicator, std::move(operations), streams);
    if (result != ncclSuccess) return result;
  }
  return ncclSuccess;
}

ncclResult_t run_setups(std::vector<Setup> setups) {
  while (!setups.empty()) {
    // One round: everything that may run side by side.
    std::vector<Setup> round, later;
    for (Setup& setup : setups) {
      const bool waits = setup.parent != nullptr &&
                         std::any_of(round.begin(), round.end(), [&](const Setup& other) {
                           return other.parent == setup.parent;
                         });
      (waits ? later : round).push_back(std::move(setup));
    }
    for (size_t phase = 0; phase < std::size(round.front().phases); ++phase) {
      for (const Setup& setup : round) {
        const ncclResult_t result = setup.phases[phase]();
        if (result != ncclSuccess) return result;
      }
    }
    setups = std::move(later);
  }
  return ncclSuccess;
}

}  // namespace

void group_start() {
  ++group().depth;
}

ncclResult_t group_end() {
  Group& open = group();
  if (open.depth == 0) return ncclInvalidUsage;
  if (--open.depth > 0) return ncclSuccess;
  const std::vector<Asked> operations = std::move(open.operations);
  std::vector<Setup> setups = std::move(open.setups);
  open.operations.clear();
  open.setups.clear();
  const ncclResult_t made = run_setups(std::move(setups));
  return made != ncclSuccess ? made : launch_all(operations);
}

ncclResult_t group_simulate_end(double* ns) {
  Group& open = group();
  if (open.depth != 1) return group_end();
  for (const Asked& one : open.operations)
    *ns += transfer_of(one.operation, one.communicator->core->size).ns;
  open.operations.clear();
  return group_end();
}

ncclResult_t enqueue(ncclComm_t communicator, const Operation& operation, cudaStream_t stream) {
  group_start();
  group().operations.push_back({communicator, operation, stream});
  return group_end();
}

ncclResult_t enqueue(Setup setup) {
  group_start();
  group().setups.push_back(std::move(setup));
  return group_end();
}

}  // namespace mfusim::nccl
