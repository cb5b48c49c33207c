// Graphs: nodes made by capture or by hand, instantiated and replayed.
#pragma once
#include "streams.hpp"

namespace mfusim {

struct Node {
  Node(Graph* owner, OperationPtr what, std::vector<Node*> after);
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  const uint64_t id;  // as records show it; unique in the process
  Graph* const graph;
  OperationPtr operation;
  std::vector<Node*> dependencies;
};

// What a program ties to the life of graphs: destroyed when neither it nor any graph holds it.
struct UserObject {
  CUhostFn destroy = nullptr;
  void* data = nullptr;
  unsigned references = 0;  // the program's own
  ~UserObject() { destroy(data); }
};

struct Graph {
  uint32_t id = 0;
  std::vector<std::shared_ptr<UserObject>> retained;
  std::vector<std::unique_ptr<Node>> nodes;  // in the order they were added
  Node* add(OperationPtr operation, std::vector<Node*> dependencies);
  std::vector<Node*> dependents(const Node* node) const;
};

std::shared_ptr<Graph> new_graph();
// Nodes with new ids, in the same order; child graphs are cloned too.
std::shared_ptr<Graph> clone(const Graph& graph);
Handles<Graph, CUgraph>& graphs();

inline CUgraphNode handle_of(const Node* node) {
  return reinterpret_cast<CUgraphNode>(const_cast<Node*>(node));
}
// NULL when no live graph has it.
Node* find_node(CUgraphNode handle);
// The nodes of a list of handles; false when one of them is no node of the graph.
bool find_nodes(const CUgraphNode* handles, size_t count, std::vector<Node*>& out);

// An executable graph: child graphs are laid out flat, in an order in which every node comes after
// what it needs.
struct ExecNode {
  OperationPtr operation;
  std::vector<size_t> after;  // indices
  uint64_t id = 0;            // of the graph's node
  bool enabled = true;
};
struct Exec {
  uint32_t id = 0;
  uint64_t flags = 0;
  std::vector<ExecNode> nodes;
  std::vector<std::shared_ptr<UserObject>> retained;
  WorkPtr last_launch;  // launches of one executable graph never overlap
  ExecNode* find(const Node* node);
};
Handles<Exec, CUgraphExec>& execs();

}  // namespace mfusim
