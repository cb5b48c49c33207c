// Follows captured work through graphs; see graphs.hpp.
#include "model/graphs.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace mfushim::model {

namespace {

// Nested deeper, or with more calls in it, no program's graph is.
constexpr int kDeepestGraph = 64;
constexpr std::size_t kMostCalls = 1 << 20;
constexpr std::size_t kMostCallsInAll = 1 << 24;

bool is_replay(const HostCall& call) {
  return call.kind == CallKind::kGraphLaunch && call.graph == 0 && call.result == 0;
}

// What each graph contains at once, one entry for each time.
using Parts = std::unordered_map<std::uint32_t, std::vector<std::uint32_t>>;

Parts parts_of(const Process& process) {
  Parts parts;
  for (const auto& [number, graph] : process.graphs)
    for (const std::uint32_t part : {graph.base, graph.added})
      if (part != 0) parts[number].push_back(part);
  for (const HostCall& call : process.calls)
    if (call.kind == CallKind::kGraphLaunch && call.graph != 0 && call.result == 0)
      parts[call.graph].push_back(call.subject);
  return parts;
}

// Every graph before its parts; those that contain themselves, by damage, are left out.
std::vector<std::uint32_t> whole_before_part(const Process& process, const Parts& parts) {
  std::unordered_map<std::uint32_t, std::size_t> awaited;
  for (const auto& [number, list] : parts)
    for (const std::uint32_t part : list) ++awaited[part];
  std::vector<std::uint32_t> order;
  for (const auto& [number, graph] : process.graphs)
    if (!awaited.contains(number)) order.push_back(number);
  for (std::size_t at = 0; at < order.size(); ++at) {
    const auto found = parts.find(order[at]);
    if (found == parts.end()) continue;
    for (const std::uint32_t part : found->second)
      if (--awaited[part] == 0) order.push_back(part);
  }
  return order;
}

void add(std::uint64_t& count, std::uint64_t more) {
  if (__builtin_add_overflow(count, more, &count))
    count = std::numeric_limits<std::uint64_t>::max();
}

// From graphs to their parts.
void hand_down(Process& process, std::uint64_t Graph::*count) {
  const Parts parts = parts_of(process);
  for (const std::uint32_t number : whole_before_part(process, parts)) {
    const auto found = parts.find(number);
    if (found == parts.end()) continue;
    for (const std::uint32_t part : found->second)
      add(process.graphs[part].*count, process.graphs[number].*count);
  }
}

void gather_flags(Process& process) {
  const Parts parts = parts_of(process);
  const auto order = whole_before_part(process, parts);
  for (auto number = order.rbegin(); number != order.rend(); ++number) {
    const auto found = parts.find(*number);
    if (found == parts.end()) continue;
    for (const std::uint32_t part : found->second)
      process.graphs[*number].flags |= process.graphs[part].flags;
  }
}

// Kernels of a replay, in the order of their nodes.
using Replay = std::vector<DeviceWork*>;

bool is_kernel_of(const Process& process, const DeviceWork& work, const HostCall& launch) {
  const format::LaunchConfig& ran = process.configs[work.config];
  const format::LaunchConfig& asked = process.configs[launch.subject];
  return asked.kernel != 0 && process.names[ran.kernel] == process.names[asked.kernel] &&
         ran.grid_x == asked.grid_x && ran.grid_y == asked.grid_y && ran.grid_z == asked.grid_z &&
         ran.block_x == asked.block_x && ran.block_y == asked.block_y &&
         ran.block_z == asked.block_z;
}

// Nodes are numbered as they are made: a replay that has as many kernels as launches were
// captured, each of the same kernel and size as the launch at its place, is those launches.
bool find_owners(const Process& process, const std::vector<std::uint32_t>& launches,
                 Replay& kernels) {
  if (kernels.size() != launches.size()) return false;
  std::sort(kernels.begin(), kernels.end(),
            [](const DeviceWork* a, const DeviceWork* b) { return a->node < b->node; });
  for (std::size_t i = 0; i < kernels.size(); ++i)
    if (!is_kernel_of(process, *kernels[i], process.calls[launches[i]])) return false;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    kernels[i]->owner = owner_of(process.calls, launches[i]);
  return true;
}

}  // namespace

GraphContents::GraphContents(const Process& process) : process_(process) {
  for (std::uint32_t i = 0; i < process.calls.size(); ++i) {
    const HostCall& call = process.calls[i];
    if (call.graph != 0 && call.result == 0) captured_[call.graph].push_back(i);
  }
  for (auto& [graph, calls] : captured_)
    std::stable_sort(calls.begin(), calls.end(), [&](std::uint32_t a, std::uint32_t b) {
      return process.calls[a].start < process.calls[b].start;
    });
}

const std::vector<std::uint32_t>* GraphContents::calls_of(std::uint32_t graph) {
  const auto [at, is_new] = layouts_.try_emplace(graph);
  Layout& layout = at->second;
  if (is_new) {
    layout.is_complete =
        laid_out_ <= kMostCallsInAll && lay_out(graph, kDeepestGraph, layout.calls);
    laid_out_ += layout.calls.size();
  }
  return layout.is_complete ? &layout.calls : nullptr;
}

bool GraphContents::lay_out(std::uint32_t graph, int depth,
                            std::vector<std::uint32_t>& calls) const {
  // Graphs grow at their end, so a chain of bases may be long.
  std::vector<std::uint32_t> chain;
  for (std::uint32_t at = graph; at != 0;
       at = process_.graphs.contains(at) ? process_.graphs.at(at).base : 0) {
    if (chain.size() > process_.graphs.size()) return false;
    chain.push_back(at);
  }
  if (depth == 0) return false;
  for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
    if (const auto own = captured_.find(*at); own != captured_.end())
      for (const std::uint32_t call : own->second) {
        calls.push_back(call);
        if (calls.size() > kMostCalls) return false;
        if (process_.calls[call].kind == CallKind::kGraphLaunch &&
            !lay_out(process_.calls[call].subject, depth - 1, calls))
          return false;
      }
    const auto found = process_.graphs.find(*at);
    if (found != process_.graphs.end() && found->second.added != 0 &&
        !lay_out(found->second.added, depth - 1, calls))
      return false;
  }
  return true;
}

void count_executions(Process& process) {
  for (auto& [number, graph] : process.graphs) graph.executions = graph.timed_executions = 0;
  for (const HostCall& call : process.calls) {
    if (call.graph != 0) process.graphs[call.graph];
    if (!is_replay(call)) continue;
    Graph& graph = process.graphs[call.subject];
    if (!graph.is_defined) graph.flags |= format::kGraphUnseen;
    add(graph.executions, 1);
  }
  for (const auto& [number, parts] : parts_of(process))
    for (const std::uint32_t part : parts) process.graphs[part];
  gather_flags(process);
  hand_down(process, &Graph::executions);
}

void find_owners_in_graphs(Process& process) {
  GraphContents contents(process);
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> launches;  // by graph
  std::map<std::uint32_t, Replay> replays;                                 // by call
  for (auto& [device, list] : process.work)
    for (DeviceWork& work : list)
      if (work.call != kNone && work.kind == WorkKind::kKernel &&
          is_replay(process.calls[work.call]))
        replays[work.call].push_back(&work);
  for (auto& [call, kernels] : replays) {
    const std::uint32_t graph = process.calls[call].subject;
    const auto [at, is_new] = launches.try_emplace(graph);
    const std::vector<std::uint32_t>* const calls = contents.calls_of(graph);
    if (is_new && calls != nullptr)
      std::copy_if(calls->begin(), calls->end(), std::back_inserter(at->second),
                   [&](std::uint32_t i) { return process.calls[i].kind == CallKind::kLaunch; });
    if (find_owners(process, at->second, kernels)) ++process.graphs[graph].timed_executions;
  }
  hand_down(process, &Graph::timed_executions);
}

std::uint32_t owner_of(const std::vector<HostCall>& calls, std::uint32_t call) {
  constexpr int kDeepestNesting = 16;  // longer chains of parents are damage
  for (int depth = 0; call != kNone && depth < kDeepestNesting; ++depth) {
    switch (calls[call].kind) {
      case CallKind::kGemm:
      case CallKind::kOperation:
      case CallKind::kCollective:
      case CallKind::kGroupEnd:
        return call;
      default:
        call = calls[call].parent;
    }
  }
  return kNone;
}

}  // namespace mfushim::model
