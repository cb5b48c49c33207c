// The device's timeline: every piece of work gets its start and end here.
//
//   start = max(issue + launch latency, end of everything it comes after);  end = start + duration
//
// Where all predecessors' ends are known, both follow at once, on the issuing thread. Two kinds of
// work end when somebody says so: host functions, and kernels with a poll (collectives that wait
// for other processes). Threads started at the first such work run them in real time; what comes
// after them stays pending until then.
#pragma once
#include <initializer_list>
#include <span>

#include "operations.hpp"
#include "process.hpp"

namespace mfusim {

// Who issued a piece of work, and where it runs.
struct Origin {
  uint32_t device = 0, context = 0, stream = 0;  // ids as the records show them
  uint32_t correlation = 0;
  uint32_t graph = 0;  // executable graph, 0 outside graphs
  uint64_t graph_node = 0;
};

struct Work {
  OperationPtr operation;
  Origin origin;
  uint64_t start = 0;  // until resolved: the earliest that is known so far
  uint64_t end = 0;
  bool resolved = false;
  uint64_t gap = 0;  // from the end of what it comes after to its start
  unsigned waiting_for = 0;
  std::vector<std::shared_ptr<Work>> followers;
};
using WorkPtr = std::shared_ptr<Work>;

// Time from a launch call to the earliest start on an idle GPU.
uint64_t launch_latency_ns();
// From the end of one graph node to the start of the next.
uint64_t graph_hop_ns();

// Puts work on the timeline, gap ns after the given work (NULLs allowed). The lock is held.
WorkPtr submit(OperationPtr operation, const Origin& origin, std::span<const WorkPtr> after,
               uint64_t not_before, uint64_t gap = 0);

// True when the work's end has passed. NULL is finished.
bool finished(const WorkPtr& work);
// Blocks until finished, without the lock while it waits; returns ns waited.
uint64_t wait_for(Lock& lock, const WorkPtr& work);

}  // namespace mfusim
