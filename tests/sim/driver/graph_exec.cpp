// Instantiating graphs, and replaying them: every replay puts all nodes on the timeline anew.
#include <algorithm>
#include <map>
#include <set>

#include "api_call.hpp"
#include "capture.hpp"
#include "device_clock.hpp"
#include "driver_impl.hpp"
#include "report.hpp"

namespace mfusim {
namespace {

uint32_t g_next_exec = 1;

class Flattener {
 public:
  explicit Flattener(std::vector<ExecNode>& out) : out_(out) {}

  // Lays the graph out after the given nodes; returns those that nothing in it comes after.
  std::vector<size_t> add(const Graph& graph, const std::vector<size_t>& before) {
    std::map<const Node*, std::vector<size_t>> ends;
    for (const auto& node : graph.nodes) visit(node.get(), before, ends);
    std::set<size_t> leaves;
    for (const auto& [node, indices] : ends) leaves.insert(indices.begin(), indices.end());
    for (const auto& [node, indices] : ends) {
      for (const Node* earlier : node->dependencies) {
        for (size_t index : ends[earlier]) leaves.erase(index);
      }
    }
    if (leaves.empty()) return before;
    return {leaves.begin(), leaves.end()};
  }

 private:
  void visit(const Node* node, const std::vector<size_t>& before,
             std::map<const Node*, std::vector<size_t>>& ends) {
    if (ends.count(node)) return;
    std::vector<size_t> after;
    for (const Node* earlier : node->dependencies) {
      visit(earlier, before, ends);
      after.insert(after.end(), ends[earlier].begin(), ends[earlier].end());
    }
    if (node->dependencies.empty()) after = before;
    if (const auto* child = std::get_if<ChildOp>(node->operation.get())) {
      ends[node] = add(*child->graph, after);
      return;
    }
    out_.push_back({node->operation, std::move(after), node->id, true});
    ends[node] = {out_.size() - 1};
  }

  std::vector<ExecNode>& out_;
};

std::vector<ExecNode> flatten(const Graph& graph) {
  std::vector<ExecNode> nodes;
  Flattener(nodes).add(graph, {});
  return nodes;
}

CUresult instantiate(CUgraphExec* out, CUgraph handle, uint64_t flags) {
  Lock lock;
  const Graph* graph = graphs().find(handle);
  if (!out || !graph) return CUDA_ERROR_INVALID_VALUE;
  auto exec = std::make_shared<Exec>();
  exec->id = g_next_exec++;
  exec->flags = flags;
  exec->nodes = flatten(*graph);
  exec->retained = graph->retained;
  *out = execs().insert(std::move(exec));
  return CUDA_SUCCESS;
}

bool same_shape(const std::vector<ExecNode>& a, const std::vector<ExecNode>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const ExecNode& x, const ExecNode& y) {
                      return x.operation->index() == y.operation->index() && x.after == y.after;
                    });
}

CUresult update(CUgraphExec exec_handle, CUgraph graph_handle, CUgraphExecUpdateResult* result) {
  Lock lock;
  Exec* exec = execs().find(exec_handle);
  const Graph* graph = graphs().find(graph_handle);
  if (!exec || !graph) return CUDA_ERROR_INVALID_VALUE;
  const auto nodes = flatten(*graph);
  const bool same = same_shape(exec->nodes, nodes);
  if (result)
    *result = same ? CU_GRAPH_EXEC_UPDATE_SUCCESS : CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  if (!same) return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  for (size_t i = 0; i < nodes.size(); ++i) exec->nodes[i].operation = nodes[i].operation;
  return CUDA_SUCCESS;
}

// Events that a node waits for or records take effect at launch.
void add_event_wait(const Operation& op, std::vector<WorkPtr>& after) {
  if (const auto* wait = std::get_if<EventWaitOp>(&op)) after.push_back(wait->event->at);
}
void record_event(const Operation& op, const WorkPtr& work) {
  const auto* record = std::get_if<EventRecordOp>(&op);
  if (!record) return;
  record->event->at = work;
  record->event->recorded = true;
  record->event->capture.reset();
}

// The executable graph as a graph again: what its launch into a capturing stream becomes part of.
std::shared_ptr<Graph> graph_of(const Exec& exec) {
  auto graph = new_graph();
  for (const ExecNode& node : exec.nodes) {
    std::vector<Node*> after;
    for (size_t index : node.after) after.push_back(graph->nodes[index].get());
    graph->add(node.operation, std::move(after));
  }
  return graph;
}

void replay(Exec& exec, Stream& stream) {
  std::vector<WorkPtr> before = before_next(stream);
  before.push_back(exec.last_launch);
  Origin origin = origin_of(stream);
  origin.graph = exec.id;
  const uint64_t earliest = now_ns() + launch_latency_ns();
  std::vector<WorkPtr> works;
  GraphEndOp end;
  for (const ExecNode& node : exec.nodes) {
    std::vector<WorkPtr> after = node.after.empty() ? before : std::vector<WorkPtr>{};
    for (size_t index : node.after) after.push_back(works[index]);
    add_event_wait(*node.operation, after);
    origin.graph_node = node.id;
    const uint64_t gap = node.after.empty() ? 0 : graph_hop_ns();
    works.push_back(
        submit(node.enabled ? node.operation : operation(EmptyOp{}), origin, after, earliest, gap));
    if (node.after.empty()) end.roots.push_back(works.back());
    record_event(*node.operation, works.back());
  }
  if (works.empty()) works = before;
  stream.tail = exec.last_launch = submit(operation(std::move(end)), origin, works, earliest);
}

}  // namespace

Handles<Exec, CUgraphExec>& execs() {
  static auto* table = new Handles<Exec, CUgraphExec>;
  return *table;
}

ExecNode* Exec::find(const Node* node) {
  const auto it =
      std::find_if(nodes.begin(), nodes.end(), [&](const ExecNode& n) { return n.id == node->id; });
  return it == nodes.end() ? nullptr : &*it;
}

CUresult impl_cuGraphInstantiate(CUgraphExec* out, CUgraph graph, CUgraphNode*, char*, size_t) {
  return instantiate(out, graph, 0);
}
CUresult impl_cuGraphInstantiate_v2(CUgraphExec* out, CUgraph graph, CUgraphNode*, char*, size_t) {
  return instantiate(out, graph, 0);
}
CUresult impl_cuGraphInstantiateWithFlags(CUgraphExec* out, CUgraph graph,
                                          unsigned long long flags) {
  return instantiate(out, graph, flags);
}
CUresult impl_cuGraphInstantiateWithParams(CUgraphExec* out, CUgraph graph,
                                           CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
  if (!params) return CUDA_ERROR_INVALID_VALUE;
  params->hErrNode_out = nullptr;
  params->result_out = CUDA_GRAPH_INSTANTIATE_SUCCESS;
  return instantiate(out, graph, params->flags);
}

CUresult impl_cuGraphExecDestroy(CUgraphExec handle) {
  Lock lock;
  return execs().erase(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult impl_cuGraphExecGetFlags(CUgraphExec handle, cuuint64_t* flags) {
  Lock lock;
  const Exec* exec = execs().find(handle);
  if (!exec || !flags) return CUDA_ERROR_INVALID_VALUE;
  *flags = exec->flags;
  return CUDA_SUCCESS;
}

CUresult impl_cuGraphLaunch(CUgraphExec handle, CUstream stream_handle) {
  MFUSIM_NEED_CONTEXT(context);
  MFUSIM_NEED_STREAM(stream, stream_handle);
  Exec* exec = execs().find(handle);
  if (!exec) return CUDA_ERROR_INVALID_VALUE;
  if (CUresult bad = capture_conflict(*stream)) return bad;
  if (stream->capture) return capture_operation(*stream, operation(ChildOp{graph_of(*exec)}));
  report_graph_launch(exec->id, exec->nodes.size());
  replay(*exec, *stream);
  return CUDA_SUCCESS;
}
CUresult impl_cuGraphUpload(CUgraphExec handle, CUstream stream_handle) {
  MFUSIM_NEED_CONTEXT(context);
  MFUSIM_NEED_STREAM(stream, stream_handle);
  return execs().find(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult impl_cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode* error_node,
                                CUgraphExecUpdateResult* result) {
  if (error_node) *error_node = nullptr;
  return update(exec, graph, result);
}
CUresult impl_cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph,
                                   CUgraphExecUpdateResultInfo* info) {
  if (!info) return CUDA_ERROR_INVALID_VALUE;
  info->errorNode = info->errorFromNode = nullptr;
  return update(exec, graph, &info->result);
}

CUresult impl_cuGraphNodeSetEnabled(CUgraphExec exec_handle, CUgraphNode node_handle,
                                    unsigned int enabled) {
  Lock lock;
  Exec* exec = execs().find(exec_handle);
  const Node* node = find_node(node_handle);
  ExecNode* found = exec && node ? exec->find(node) : nullptr;
  if (!found) return CUDA_ERROR_INVALID_VALUE;
  found->enabled = enabled != 0;
  return CUDA_SUCCESS;
}
CUresult impl_cuGraphNodeGetEnabled(CUgraphExec exec_handle, CUgraphNode node_handle,
                                    unsigned int* enabled) {
  Lock lock;
  Exec* exec = execs().find(exec_handle);
  const Node* node = find_node(node_handle);
  const ExecNode* found = exec && node ? exec->find(node) : nullptr;
  if (!found || !enabled) return CUDA_ERROR_INVALID_VALUE;
  *enabled = found->enabled;
  return CUDA_SUCCESS;
}

}  // namespace mfusim

MFUSIM_EXPORT uint64_t mfusim_id(MfusimHandleKind kind, void* handle) {
  using namespace mfusim;
  Lock lock;
  const auto id_of = [](const auto* object) { return object ? uint64_t(object->id) : 0; };
  switch (kind) {
    case MFUSIM_CONTEXT:
      return id_of(contexts().find(static_cast<CUcontext>(handle)));
    case MFUSIM_STREAM:
      return id_of(find_stream(static_cast<CUstream>(handle)));
    case MFUSIM_GRAPH_HANDLE:
      return id_of(graphs().find(static_cast<CUgraph>(handle)));
    case MFUSIM_GRAPH_EXEC:
      return id_of(execs().find(static_cast<CUgraphExec>(handle)));
    case MFUSIM_GRAPH_NODE:
      return id_of(find_node(static_cast<CUgraphNode>(handle)));
  }
  return 0;
}
