// What a stream or a graph node can do. The same description serves both: issued now, or kept and
// replayed.
#pragma once
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "driver_header.h"
#include "mfusim/driver.h"

namespace mfusim {

struct Event;
struct Graph;
struct Work;

struct Arguments {
  std::vector<std::vector<unsigned char>> bytes;
  std::vector<void*> pointers;  // to each of them, as kernelParams has it
};

struct KernelOp {
  const char* name = nullptr;  // interned
  void* function = nullptr;    // the CUfunction or CUkernel that the program gave
  uint32_t grid[3] = {1, 1, 1};
  uint32_t block[3] = {1, 1, 1};
  uint32_t shared_bytes = 0;
  uint64_t piece = 0;   // of work that it belongs to (mfusim_work_begin)
  bool costed = false;  // cost was given (MFUSIM_COST_PARAM0); else from the geometry
  MfusimCost cost{};
  // Copies of the arguments where the module states their sizes: a program may ask a graph node for
  // them.
  std::shared_ptr<const Arguments> arguments;
};

// Where an address lies, as copies report it.
struct Place {
  uint32_t memory = 0;  // enum MfusimMemory
  int device = 0;
};

struct CopyOp {
  void* to = nullptr;
  const void* from = nullptr;
  size_t width = 0, rows = 1, slices = 1;  // bytes, rows of a slice, slices
  size_t to_pitch = 0, from_pitch = 0;
  size_t to_slice = 0, from_slice = 0;
  Place source, destination;
  size_t bytes() const { return width * rows * slices; }
};

struct SetOp {
  void* to = nullptr;
  uint64_t value = 0;  // its lowest element_bytes
  uint32_t element_bytes = 1;
  size_t width = 0, rows = 1;  // elements, rows
  size_t pitch = 0;
  size_t bytes() const { return width * rows * element_bytes; }
};

struct HostOp {
  CUhostFn function = nullptr;
  void* data = nullptr;
  // cuStreamAddCallback's form; function is then NULL.
  CUstreamCallback callback = nullptr;
  CUstream stream = nullptr;
};

// A point in a stream: joins, event records outside graphs, graph ends.
struct EmptyOp {};
struct EventRecordOp {
  std::shared_ptr<Event> event;
};
struct EventWaitOp {
  std::shared_ptr<Event> event;
};
// The end of a replayed graph: after all its work, told by what came first.
struct GraphEndOp {
  std::vector<std::shared_ptr<Work>> roots;
};
struct ChildOp {
  std::shared_ptr<Graph> graph;
};
// Memory nodes of graphs: the address is given out when the node is made.
struct AllocOp {
  CUDA_MEM_ALLOC_NODE_PARAMS params{};
};
struct FreeOp {
  CUdeviceptr address = 0;
  bool releases = false;  // outside graphs; a graph's memory lives as long as its program runs
};

using Operation = std::variant<EmptyOp, KernelOp, CopyOp, SetOp, HostOp, EventRecordOp, EventWaitOp,
                               ChildOp, GraphEndOp, AllocOp, FreeOp>;
using OperationPtr = std::shared_ptr<const Operation>;

template <typename Op>
OperationPtr operation(Op op) {
  return std::make_shared<const Operation>(std::move(op));
}

// Time on the device by the roofline; 0 for what only orders other work.
uint64_t duration_ns(const Operation& operation);
// Really moves the data of a copy or set (up to kPayloadLimit bytes; larger ones only take their
// time).
void move_payload(const Operation& operation);

constexpr size_t kPayloadLimit = size_t(1) << 20;

}  // namespace mfusim
