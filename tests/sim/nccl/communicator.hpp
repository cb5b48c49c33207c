// One rank's side of a communicator.
#pragma once

#include <nccl.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "segment.hpp"

namespace mfusim::nccl {

// What outlives the ncclComm_t while work of it is still on the device.
struct Core {
  uint64_t hash = 0;
  int rank = 0;
  int size = 1;
  int device = 0;
  std::unique_ptr<Segment> segment;
  std::atomic<ncclResult_t> error{ncclSuccess};
  std::atomic<bool> aborted{false};

  // Launches of one communicator run one after another, on whatever streams: each takes the next
  // ticket and waits until its turn has come.
  std::atomic<uint64_t> tickets{0};
  std::atomic<uint64_t> turn{0};

  // Numbers of operations on the device, and the end of the last one; the device thread's alone.
  uint64_t collectives = 0;
  uint64_t free_ns = 0;
  std::vector<uint64_t> sent, received;  // by peer
  std::vector<uint64_t> awaited;         // signals, by peer

  // Leaves the segment once nothing of this rank is pending any more.
  void launched() { ++pending_; }
  void finished();
  void close();

 private:
  void leave_if_done();

  std::atomic<int> pending_{0};
  std::atomic<bool> closed_{false};
};

std::string hash_text(uint64_t hash);
uint64_t hash_of(const void* bytes, size_t count, uint64_t seed = 0xcbf29ce484222325U);

}  // namespace mfusim::nccl

struct ncclComm {
  std::shared_ptr<mfusim::nccl::Core> core;
  uint64_t splits = 0;
  std::mutex mutex;
  std::vector<double> scales;  // of its pre-multiplied sums; ncclNumOps + index is the operation
};
