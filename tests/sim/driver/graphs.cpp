// Graphs as data: making, cloning, and asking about nodes and edges.
#include "graphs.hpp"

#include <algorithm>
#include <atomic>
#include <unordered_set>

#include "driver_impl.hpp"

namespace mfusim {
namespace {

std::atomic<uint32_t> g_next_graph{1};
std::atomic<uint64_t> g_next_node{1};

std::unordered_set<const Node*>& live_nodes() {
  static auto* set = new std::unordered_set<const Node*>;
  return *set;
}
// Which clone a node's copy is in: (clone, original node) -> copy, for cuGraphNodeFindInClone.
std::map<std::pair<const Graph*, uint64_t>, Node*>& clone_origins() {
  static auto* map = new std::map<std::pair<const Graph*, uint64_t>, Node*>;
  return *map;
}

// The vendor's way of answering a list: with no room given, only its length.
CUresult give(const std::vector<Node*>& nodes, CUgraphNode* out, size_t* count) {
  if (!count) return CUDA_ERROR_INVALID_VALUE;
  if (!out) {
    *count = nodes.size();
    return CUDA_SUCCESS;
  }
  for (size_t i = 0; i < *count; ++i) out[i] = i < nodes.size() ? handle_of(nodes[i]) : nullptr;
  *count = std::min(*count, nodes.size());
  return CUDA_SUCCESS;
}

CUresult edges(CUgraph handle, CUgraphNode* from, CUgraphNode* to, size_t* count) {
  Lock lock;
  const Graph* graph = graphs().find(handle);
  if (!graph) return CUDA_ERROR_INVALID_VALUE;
  std::vector<Node*> sources, targets;
  for (const auto& node : graph->nodes) {
    for (Node* before : node->dependencies) {
      sources.push_back(before);
      targets.push_back(node.get());
    }
  }
  size_t room = count ? *count : 0;
  if (CUresult bad = give(sources, from, count)) return bad;
  return to ? give(targets, to, &room) : CUDA_SUCCESS;
}

template <typename Change>
CUresult change_edges(CUgraph handle, const CUgraphNode* from, const CUgraphNode* to, size_t count,
                      Change change) {
  Lock lock;
  std::vector<Node*> sources, targets;
  if (!graphs().find(handle) || !find_nodes(from, count, sources) ||
      !find_nodes(to, count, targets)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  for (size_t i = 0; i < count; ++i) change(targets[i]->dependencies, sources[i]);
  return CUDA_SUCCESS;
}

void add_edge(std::vector<Node*>& dependencies, Node* before) {
  dependencies.push_back(before);
}
void remove_edge(std::vector<Node*>& dependencies, Node* before) {
  std::erase(dependencies, before);
}

CUresult neighbours(CUgraphNode handle, CUgraphNode* out, size_t* count, bool before) {
  Lock lock;
  const Node* node = find_node(handle);
  if (!node) return CUDA_ERROR_INVALID_VALUE;
  return give(before ? node->dependencies : node->graph->dependents(node), out, count);
}

}  // namespace

Node::Node(Graph* owner, OperationPtr what, std::vector<Node*> after)
    : id(g_next_node++), graph(owner), operation(std::move(what)), dependencies(std::move(after)) {
  live_nodes().insert(this);
}
Node::~Node() {
  live_nodes().erase(this);
}

Node* Graph::add(OperationPtr operation, std::vector<Node*> dependencies) {
  return nodes
      .emplace_back(std::make_unique<Node>(this, std::move(operation), std::move(dependencies)))
      .get();
}

std::vector<Node*> Graph::dependents(const Node* node) const {
  std::vector<Node*> found;
  for (const auto& other : nodes) {
    const auto& before = other->dependencies;
    if (std::find(before.begin(), before.end(), node) != before.end()) found.push_back(other.get());
  }
  return found;
}

std::shared_ptr<Graph> new_graph() {
  auto graph = std::make_shared<Graph>();
  graph->id = g_next_graph++;
  return graph;
}

std::shared_ptr<Graph> clone(const Graph& graph) {
  auto copy = new_graph();
  std::map<const Node*, Node*> copies;
  for (const auto& node : graph.nodes) {
    OperationPtr what = node->operation;
    if (const auto* child = std::get_if<ChildOp>(what.get()))
      what = operation(ChildOp{clone(*child->graph)});
    copies[node.get()] = copy->add(std::move(what), {});
    clone_origins()[{copy.get(), node->id}] = copies[node.get()];
  }
  for (const auto& node : graph.nodes) {
    for (const Node* before : node->dependencies)
      copies[node.get()]->dependencies.push_back(copies[before]);
  }
  return copy;
}

Handles<Graph, CUgraph>& graphs() {
  static auto* table = new Handles<Graph, CUgraph>;
  return *table;
}

Node* find_node(CUgraphNode handle) {
  auto* node = reinterpret_cast<Node*>(handle);
  return live_nodes().count(node) ? node : nullptr;
}

bool find_nodes(const CUgraphNode* handles, size_t count, std::vector<Node*>& out) {
  for (size_t i = 0; i < count; ++i) {
    Node* node = find_node(handles[i]);
    if (!node) return false;
    out.push_back(node);
  }
  return true;
}

CUresult impl_cuGraphCreate(CUgraph* out, unsigned int flags) {
  if (!out || flags) return CUDA_ERROR_INVALID_VALUE;
  Lock lock;
  *out = graphs().insert(new_graph());
  return CUDA_SUCCESS;
}
CUresult impl_cuGraphDestroy(CUgraph handle) {
  Lock lock;
  std::erase_if(clone_origins(),
                [&](const auto& entry) { return entry.first.first == graphs().find(handle); });
  return graphs().erase(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult impl_cuGraphClone(CUgraph* out, CUgraph handle) {
  Lock lock;
  const Graph* graph = graphs().find(handle);
  if (!out || !graph) return CUDA_ERROR_INVALID_VALUE;
  *out = graphs().insert(clone(*graph));
  return CUDA_SUCCESS;
}
CUresult impl_cuGraphNodeFindInClone(CUgraphNode* out, CUgraphNode original, CUgraph clone_handle) {
  Lock lock;
  const Node* node = find_node(original);
  if (!out || !node) return CUDA_ERROR_INVALID_VALUE;
  const auto it = clone_origins().find({graphs().find(clone_handle), node->id});
  if (it == clone_origins().end()) return CUDA_ERROR_INVALID_VALUE;
  *out = handle_of(it->second);
  return CUDA_SUCCESS;
}

CUresult impl_cuGraphGetNodes(CUgraph handle, CUgraphNode* out, size_t* count) {
  Lock lock;
  const Graph* graph = graphs().find(handle);
  if (!graph) return CUDA_ERROR_INVALID_VALUE;
  std::vector<Node*> all;
  for (const auto& node : graph->nodes) all.push_back(node.get());
  return give(all, out, count);
}
CUresult impl_cuGraphGetRootNodes(CUgraph handle, CUgraphNode* out, size_t* count) {
  Lock lock;
  const Graph* graph = graphs().find(handle);
  if (!graph) return CUDA_ERROR_INVALID_VALUE;
  std::vector<Node*> roots;
  for (const auto& node : graph->nodes) {
    if (node->dependencies.empty()) roots.push_back(node.get());
  }
  return give(roots, out, count);
}
CUresult impl_cuGraphDestroyNode(CUgraphNode handle) {
  Lock lock;
  Node* node = find_node(handle);
  if (!node) return CUDA_ERROR_INVALID_VALUE;
  for (Node* after : node->graph->dependents(node)) std::erase(after->dependencies, node);
  std::erase_if(node->graph->nodes, [&](const auto& owned) { return owned.get() == node; });
  return CUDA_SUCCESS;
}

CUresult impl_cuGraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to, size_t* count) {
  return edges(graph, from, to, count);
}
CUresult impl_cuGraphAddDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                     size_t count) {
  return change_edges(graph, from, to, count, add_edge);
}
CUresult impl_cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode* from,
                                        const CUgraphNode* to, size_t count) {
  return change_edges(graph, from, to, count, remove_edge);
}
CUresult impl_cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode* out, size_t* count) {
  return neighbours(node, out, count, true);
}
CUresult impl_cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode* out, size_t* count) {
  return neighbours(node, out, count, false);
}
#if CUDA_VERSION >= 12030  // the same with edge data, of which there is none here
CUresult impl_cuGraphGetEdges_v2(CUgraph graph, CUgraphNode* from, CUgraphNode* to,
                                 CUgraphEdgeData* data, size_t* count) {
  const size_t room = count ? *count : 0;
  if (data && from) std::fill_n(data, room, CUgraphEdgeData{});
  return edges(graph, from, to, count);
}
CUresult impl_cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode* from,
                                        const CUgraphNode* to, const CUgraphEdgeData*,
                                        size_t count) {
  return change_edges(graph, from, to, count, add_edge);
}
CUresult impl_cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode* from,
                                           const CUgraphNode* to, const CUgraphEdgeData*,
                                           size_t count) {
  return change_edges(graph, from, to, count, remove_edge);
}
CUresult impl_cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode* out,
                                            CUgraphEdgeData* data, size_t* count) {
  if (data && out && count) std::fill_n(data, *count, CUgraphEdgeData{});
  return neighbours(node, out, count, true);
}
CUresult impl_cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode* out,
                                              CUgraphEdgeData* data, size_t* count) {
  if (data && out && count) std::fill_n(data, *count, CUgraphEdgeData{});
  return neighbours(node, out, count, false);
}
#endif

}  // namespace mfusim
