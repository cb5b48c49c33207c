// Graphs made by hand, cloned, updated, nested and captured as children.
#include <cuda.h>

#include <vector>

#include "expect.hpp"
#include "mfusim/driver.h"

#define OK(call) EXPECT((call) == CUDA_SUCCESS)

namespace {

CUfunction load(const char* name) {
  static const uint32_t kSizes[] = {8};
  const MfusimKernel kernel{name, MFUSIM_COST_GEOMETRY, 1, kSizes};
  const MfusimImage image{MFUSIM_IMAGE_MAGIC, 1, 1, &kernel};
  CUmodule module;
  CUfunction function;
  OK(cuModuleLoadData(&module, &image));
  OK(cuModuleGetFunction(&function, module, name));
  return function;
}

CUDA_KERNEL_NODE_PARAMS kernel_params(CUfunction function, unsigned grid, void** arguments) {
  CUDA_KERNEL_NODE_PARAMS p{};
  p.func = function;
  p.gridDimX = grid;
  p.blockDimX = 64;
  p.gridDimY = p.gridDimZ = p.blockDimY = p.blockDimZ = 1;
  p.kernelParams = arguments;
  return p;
}

struct Made {
  CUgraph graph;
  CUgraphNode first, set, left, right;
};

// A diamond without its last corner: first, then a memset, then two kernels side by side.
Made make(CUfunction function, unsigned grid, CUdeviceptr memory) {
  Made m;
  uint64_t argument = 42;
  void* arguments[] = {&argument};
  const auto kernel = kernel_params(function, grid, arguments);
  CUDA_MEMSET_NODE_PARAMS set{};
  set.dst = memory;
  set.value = grid;
  set.elementSize = 4;
  set.width = 16;
  set.height = 1;
  OK(cuGraphCreate(&m.graph, 0));
  OK(cuGraphAddKernelNode(&m.first, m.graph, nullptr, 0, &kernel));
  OK(cuGraphAddMemsetNode(&m.set, m.graph, &m.first, 1, &set, nullptr));
  OK(cuGraphAddKernelNode(&m.left, m.graph, &m.set, 1, &kernel));
  OK(cuGraphAddKernelNode(&m.right, m.graph, &m.set, 1, &kernel));
  return m;
}

void check_questions(const Made& m, CUfunction function) {
  size_t count = 0;
  OK(cuGraphGetNodes(m.graph, nullptr, &count));
  EXPECT(count == 4);
  OK(cuGraphGetRootNodes(m.graph, nullptr, &count));
  EXPECT(count == 1);
  OK(cuGraphGetEdges(m.graph, nullptr, nullptr, nullptr, &count));
  EXPECT(count == 3);
  CUgraphNodeType type;
  OK(cuGraphNodeGetType(m.set, &type));
  EXPECT(type == CU_GRAPH_NODE_TYPE_MEMSET);
  CUDA_KERNEL_NODE_PARAMS p;
  OK(cuGraphKernelNodeGetParams(m.left, &p));
  EXPECT(p.func == function && p.blockDimX == 64 &&
         *static_cast<uint64_t*>(p.kernelParams[0]) == 42);
  CUgraph clone;
  CUgraphNode copy;
  OK(cuGraphClone(&clone, m.graph));
  OK(cuGraphNodeFindInClone(&copy, m.set, clone));
  EXPECT(copy != m.set);
  OK(cuGraphNodeGetDependentNodes(copy, nullptr, nullptr, &count));
  EXPECT(count == 2);
  OK(cuGraphDestroy(clone));
}

uint32_t word(CUdeviceptr memory) {
  return *reinterpret_cast<const uint32_t*>(
      memory);  // device memory is host memory here; no copy to count
}

}  // namespace

int main() {
  OK(cuInit(0));
  CUcontext context;
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuCtxSetCurrent(context));
  CUstream stream;
  OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  const CUfunction function = load("node_kernel");
  CUdeviceptr memory;
  OK(cuMemAlloc(&memory, 4096));
  const Made m = make(function, 5, memory);
  check_questions(m, function);

  CUgraphExec exec;
  OK(cuGraphInstantiate(&exec, m.graph, 0));
  for (int i = 0; i < 2; ++i) OK(cuGraphLaunch(exec, stream));
  OK(cuStreamSynchronize(stream));
  EXPECT(word(memory) == 5);

  const Made other = make(function, 9, memory);
  CUgraphExecUpdateResultInfo result;
  OK(cuGraphExecUpdate(exec, other.graph, &result));
  OK(cuGraphLaunch(exec, stream));
  OK(cuStreamSynchronize(stream));
  EXPECT(word(memory) == 9);
  OK(cuGraphDestroyNode(other.right));
  EXPECT(cuGraphExecUpdate(exec, other.graph, &result) == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT(result.result == CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);

  // The launch becomes a child of the captured graph.
  CUgraph outer;
  CUgraphExec outer_exec;
  OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  uint64_t argument = 1;
  void* arguments[] = {&argument};
  OK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr));
  OK(cuGraphLaunch(exec, stream));
  OK(cuStreamEndCapture(stream, &outer));
  OK(cuGraphInstantiate(&outer_exec, outer, 0));
  OK(cuGraphLaunch(outer_exec, stream));
  OK(cuStreamSynchronize(stream));
  return 0;
}
