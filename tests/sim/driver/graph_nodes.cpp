// Graph nodes made by hand: parameters to operations and back, in graphs and in executable graphs.
#include <algorithm>
#include <cstdio>

#include "copies.hpp"
#include "driver_impl.hpp"
#include "graphs.hpp"
#include "launches.hpp"
#include "memory.hpp"
#include "mfusim/tracing.h"

namespace mfusim {
namespace {

// An operation, or why there is none.
struct Made {
  OperationPtr operation;
  CUresult error = CUDA_SUCCESS;
};
template <typename Op>
Made made(Op op) {
  return {operation(std::move(op)), CUDA_SUCCESS};
}
Made invalid(CUresult error = CUDA_ERROR_INVALID_VALUE) {
  return {nullptr, error};
}

template <typename Params>  // CUDA_KERNEL_NODE_PARAMS of every version
Made kernel(const Params& p) {
  const void* function = p.func;
  if constexpr (requires { p.kern; }) function = p.func ? static_cast<const void*>(p.func) : p.kern;
  KernelOp op;
  if (CUresult bad = make_kernel_op(op, function, {p.gridDimX, p.gridDimY, p.gridDimZ},
                                    {p.blockDimX, p.blockDimY, p.blockDimZ}, p.sharedMemBytes,
                                    p.kernelParams)) {
    return invalid(bad);
  }
  return made(std::move(op));
}
Made copy(const CUDA_MEMCPY3D& p) {
  CopyOp op = copy_of(p);
  return op.from && op.to ? made(op) : invalid();
}
template <typename Params>
Made set(const Params& p) {
  return made(
      SetOp{reinterpret_cast<void*>(p.dst), p.value, p.elementSize, p.width, p.height, p.pitch});
}
template <typename Params>
Made host(const Params& p) {
  HostOp op;
  op.function = p.fn;
  op.data = p.userData;
  return p.fn ? made(op) : invalid();
}
Made child(CUgraph handle) {
  const Graph* graph = graphs().find(handle);
  return graph ? made(ChildOp{clone(*graph)}) : invalid();
}
template <typename Op>
Made on_event(CUevent handle) {
  auto event = events().share(handle);
  return event ? made(Op{std::move(event)}) : invalid();
}

CUresult add(CUgraphNode* out, CUgraph handle, const CUgraphNode* dependencies, size_t count,
             const Made& what) {
  if (what.error) return what.error;
  Graph* graph = graphs().find(handle);
  std::vector<Node*> after;
  if (!out || !graph || !find_nodes(dependencies, count, after)) return CUDA_ERROR_INVALID_VALUE;
  *out = handle_of(graph->add(what.operation, std::move(after)));
  return CUDA_SUCCESS;
}

// A node keeps its kind for life.
CUresult replace(OperationPtr& old, const Made& with) {
  if (with.error) return with.error;
  if (old->index() != with.operation->index()) return CUDA_ERROR_INVALID_VALUE;
  old = with.operation;
  return CUDA_SUCCESS;
}
CUresult change(CUgraphNode handle, const Made& to) {
  Node* node = find_node(handle);
  return node ? replace(node->operation, to) : CUDA_ERROR_INVALID_VALUE;
}
CUresult change(CUgraphExec exec_handle, CUgraphNode node_handle, const Made& to) {
  Exec* exec = execs().find(exec_handle);
  const Node* node = find_node(node_handle);
  ExecNode* found = exec && node ? exec->find(node) : nullptr;
  return found ? replace(found->operation, to) : CUDA_ERROR_INVALID_VALUE;
}

template <typename Op>
const Op* operation_of(CUgraphNode handle) {
  const Node* node = find_node(handle);
  return node ? std::get_if<Op>(node->operation.get()) : nullptr;
}

template <typename Params>
CUresult kernel_params(CUgraphNode handle, Params* out) {
  Lock lock;
  const KernelOp* op = operation_of<KernelOp>(handle);
  if (!op || !out) return CUDA_ERROR_INVALID_VALUE;
  *out = {};
  out->func = static_cast<CUfunction>(op->function);
  out->gridDimX = op->grid[0];
  out->gridDimY = op->grid[1];
  out->gridDimZ = op->grid[2];
  out->blockDimX = op->block[0];
  out->blockDimY = op->block[1];
  out->blockDimZ = op->block[2];
  out->sharedMemBytes = op->shared_bytes;
  out->kernelParams = op->arguments ? const_cast<void**>(op->arguments->pointers.data()) : nullptr;
  return CUDA_SUCCESS;
}

CUgraphNodeType type_of(const Operation& operation) {
  constexpr CUgraphNodeType kTypes[] = {
      CU_GRAPH_NODE_TYPE_EMPTY,      CU_GRAPH_NODE_TYPE_KERNEL,  CU_GRAPH_NODE_TYPE_MEMCPY,
      CU_GRAPH_NODE_TYPE_MEMSET,     CU_GRAPH_NODE_TYPE_HOST,    CU_GRAPH_NODE_TYPE_EVENT_RECORD,
      CU_GRAPH_NODE_TYPE_WAIT_EVENT, CU_GRAPH_NODE_TYPE_GRAPH,   CU_GRAPH_NODE_TYPE_EMPTY,
      CU_GRAPH_NODE_TYPE_MEM_ALLOC,  CU_GRAPH_NODE_TYPE_MEM_FREE};
  static_assert(std::size(kTypes) == std::variant_size_v<Operation>);
  return kTypes[operation.index()];
}

#if CUDA_VERSION >= 12020
Made from_params(const CUgraphNodeParams& p) {
  switch (p.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return kernel(p.kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return copy(p.memcpy.copyParams);
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return set(p.memset);
    case CU_GRAPH_NODE_TYPE_HOST:
      return host(p.host);
    case CU_GRAPH_NODE_TYPE_GRAPH:
      return child(p.graph.graph);
    case CU_GRAPH_NODE_TYPE_EMPTY:
      return made(EmptyOp{});
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return on_event<EventRecordOp>(p.eventRecord.event);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return on_event<EventWaitOp>(p.eventWait.event);
    default:
      return invalid(CUDA_ERROR_NOT_SUPPORTED);
  }
}
#endif

}  // namespace

CUresult impl_cuGraphAddKernelNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after,
                                   size_t n, const CUDA_KERNEL_NODE_PARAMS_v1* p) {
  Lock lock;
  return add(out, graph, after, n, kernel(*p));
}
CUresult impl_cuGraphAddMemcpyNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after,
                                   size_t n, const CUDA_MEMCPY3D* p, CUcontext) {
  Lock lock;
  return add(out, graph, after, n, copy(*p));
}
CUresult impl_cuGraphAddMemsetNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after,
                                   size_t n, const CUDA_MEMSET_NODE_PARAMS* p, CUcontext) {
  Lock lock;
  return add(out, graph, after, n, set(*p));
}
CUresult impl_cuGraphAddHostNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after,
                                 size_t n, const CUDA_HOST_NODE_PARAMS* p) {
  Lock lock;
  return add(out, graph, after, n, host(*p));
}
CUresult impl_cuGraphAddChildGraphNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after,
                                       size_t n, CUgraph of) {
  Lock lock;
  return add(out, graph, after, n, child(of));
}
CUresult impl_cuGraphAddEmptyNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after,
                                  size_t n) {
  Lock lock;
  return add(out, graph, after, n, made(EmptyOp{}));
}
CUresult impl_cuGraphAddEventRecordNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after,
                                        size_t n, CUevent e) {
  Lock lock;
  return add(out, graph, after, n, on_event<EventRecordOp>(e));
}
CUresult impl_cuGraphAddEventWaitNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after,
                                      size_t n, CUevent e) {
  Lock lock;
  return add(out, graph, after, n, on_event<EventWaitOp>(e));
}
CUresult impl_cuGraphAddMemAllocNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after,
                                     size_t n, CUDA_MEM_ALLOC_NODE_PARAMS* p) {
  Lock lock;
  void* memory =
      allocate(std::max<size_t>(p->bytesize, 1), MFUSIM_DEVICE, p->poolProps.location.id);
  if (!memory) return CUDA_ERROR_OUT_OF_MEMORY;
  p->dptr = reinterpret_cast<CUdeviceptr>(memory);
  AllocOp op;
  op.params = *p;
  return add(out, graph, after, n, made(op));
}
CUresult impl_cuGraphAddMemFreeNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after,
                                    size_t n, CUdeviceptr address) {
  Lock lock;
  return add(out, graph, after, n, made(FreeOp{address}));
}

CUresult impl_cuGraphNodeGetType(CUgraphNode handle, CUgraphNodeType* out) {
  Lock lock;
  const Node* node = find_node(handle);
  if (!node || !out) return CUDA_ERROR_INVALID_VALUE;
  *out = type_of(*node->operation);
  return CUDA_SUCCESS;
}
CUresult impl_cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1* out) {
  return kernel_params(node, out);
}
CUresult impl_cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1* p) {
  Lock lock;
  return change(node, kernel(*p));
}
CUresult impl_cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                             const CUDA_KERNEL_NODE_PARAMS_v1* p) {
  Lock lock;
  return change(exec, node, kernel(*p));
}
#if CUDA_VERSION >= 12000
CUresult impl_cuGraphAddKernelNode_v2(CUgraphNode* out, CUgraph graph, const CUgraphNode* after,
                                      size_t n, const CUDA_KERNEL_NODE_PARAMS* p) {
  Lock lock;
  return add(out, graph, after, n, kernel(*p));
}
CUresult impl_cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* out) {
  return kernel_params(node, out);
}
CUresult impl_cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* p) {
  Lock lock;
  return change(node, kernel(*p));
}
CUresult impl_cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                                const CUDA_KERNEL_NODE_PARAMS* p) {
  Lock lock;
  return change(exec, node, kernel(*p));
}
#endif

// Launch attributes (priorities, clusters, access policies) change nothing here.
CUresult impl_cuGraphKernelNodeCopyAttributes(CUgraphNode, CUgraphNode) {
  return CUDA_SUCCESS;
}
CUresult impl_cuGraphKernelNodeSetAttribute(CUgraphNode, CUkernelNodeAttrID,
                                            const CUkernelNodeAttrValue*) {
  return CUDA_SUCCESS;
}
CUresult impl_cuGraphKernelNodeGetAttribute(CUgraphNode, CUkernelNodeAttrID,
                                            CUkernelNodeAttrValue* out) {
  *out = {};
  return CUDA_SUCCESS;
}

CUresult impl_cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D* out) {
  Lock lock;
  const CopyOp* op = operation_of<CopyOp>(node);
  if (!op || !out) return CUDA_ERROR_INVALID_VALUE;
  *out = {};
  out->srcMemoryType = out->dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  out->srcDevice = reinterpret_cast<CUdeviceptr>(op->from);
  out->dstDevice = reinterpret_cast<CUdeviceptr>(op->to);
  out->srcPitch = op->from_pitch;
  out->dstPitch = op->to_pitch;
  out->WidthInBytes = op->width;
  out->Height = op->rows;
  out->Depth = op->slices;
  return CUDA_SUCCESS;
}
CUresult impl_cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D* p) {
  Lock lock;
  return change(node, copy(*p));
}
CUresult impl_cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                             const CUDA_MEMCPY3D* p, CUcontext) {
  Lock lock;
  return change(exec, node, copy(*p));
}
CUresult impl_cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS* out) {
  Lock lock;
  const SetOp* op = operation_of<SetOp>(node);
  if (!op || !out) return CUDA_ERROR_INVALID_VALUE;
  *out = {reinterpret_cast<CUdeviceptr>(op->to),
          op->pitch,
          unsigned(op->value),
          op->element_bytes,
          op->width,
          op->rows};
  return CUDA_SUCCESS;
}
CUresult impl_cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* p) {
  Lock lock;
  return change(node, set(*p));
}
CUresult impl_cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                             const CUDA_MEMSET_NODE_PARAMS* p, CUcontext) {
  Lock lock;
  return change(exec, node, set(*p));
}
CUresult impl_cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS* out) {
  Lock lock;
  const HostOp* op = operation_of<HostOp>(node);
  if (!op || !out) return CUDA_ERROR_INVALID_VALUE;
  *out = {op->function, op->data};
  return CUDA_SUCCESS;
}
CUresult impl_cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS* p) {
  Lock lock;
  return change(node, host(*p));
}
CUresult impl_cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                           const CUDA_HOST_NODE_PARAMS* p) {
  Lock lock;
  return change(exec, node, host(*p));
}
CUresult impl_cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph* out) {
  Lock lock;
  const ChildOp* op = operation_of<ChildOp>(node);
  if (!op || !out) return CUDA_ERROR_INVALID_VALUE;
  *out = graphs().handle_of(op->graph.get());
  if (!graphs().find(*out)) graphs().insert(op->graph);
  return CUDA_SUCCESS;
}
CUresult impl_cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS* out) {
  Lock lock;
  const AllocOp* op = operation_of<AllocOp>(node);
  if (!op || !out) return CUDA_ERROR_INVALID_VALUE;
  *out = op->params;
  return CUDA_SUCCESS;
}
CUresult impl_cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr* out) {
  Lock lock;
  const FreeOp* op = operation_of<FreeOp>(node);
  if (!op || !out) return CUDA_ERROR_INVALID_VALUE;
  *out = op->address;
  return CUDA_SUCCESS;
}

#if CUDA_VERSION >= 12020
CUresult impl_cuGraphAddNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, size_t n,
                             CUgraphNodeParams* p) {
  Lock lock;
  return p ? add(out, graph, after, n, from_params(*p)) : CUDA_ERROR_INVALID_VALUE;
}
CUresult impl_cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams* p) {
  Lock lock;
  return p ? change(node, from_params(*p)) : CUDA_ERROR_INVALID_VALUE;
}
CUresult impl_cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams* p) {
  Lock lock;
  return p ? change(exec, node, from_params(*p)) : CUDA_ERROR_INVALID_VALUE;
}
#endif
#if CUDA_VERSION >= 12030
CUresult impl_cuGraphAddNode_v2(CUgraphNode* out, CUgraph graph, const CUgraphNode* after,
                                const CUgraphEdgeData*, size_t n, CUgraphNodeParams* p) {
  return impl_cuGraphAddNode(out, graph, after, n, p);
}
#endif

}  // namespace mfusim
