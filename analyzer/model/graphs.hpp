// What each launch of a CUDA graph does: how often captured work is executed, and which of it a
// kernel of a replay is.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/run.hpp"

namespace mfushim::model {

// The captured calls behind graphs, laid out flat.
class GraphContents {
 public:
  explicit GraphContents(const Process& process);

  // Indices of the calls whose work one launch of the graph does, in the order in which they were
  // captured; launches of graphs that were captured themselves are resolved. Null for more than any
  // program has: a damaged log.
  const std::vector<std::uint32_t>* calls_of(std::uint32_t graph);

 private:
  struct Layout {
    std::vector<std::uint32_t> calls;
    bool is_complete = false;
  };
  bool lay_out(std::uint32_t graph, int depth, std::vector<std::uint32_t>& calls) const;

  const Process& process_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> captured_;  // by graph, in order
  std::unordered_map<std::uint32_t, Layout> layouts_;
  std::size_t laid_out_ = 0;
};

// Fills in Graph::executions and the flags of all that a graph contains.
void count_executions(Process& process);

// Fills in DeviceWork::owner where it is certain, and Graph::timed_executions. Expects `call`.
void find_owners_in_graphs(Process& process);

// The product, operation, collective or group end that a call is or is part of.
std::uint32_t owner_of(const std::vector<HostCall>& calls, std::uint32_t call);

}  // namespace mfushim::model
