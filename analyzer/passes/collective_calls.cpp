// Finds the kernels of collectives: those launched inside the call, or at the end of its NCCL
// group.
#include "passes/collective_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "model/graphs.hpp"

namespace mfushim::passes {

namespace {

using model::CallKind;
using model::HostCall;
using model::kNone;

struct Span {
  Interval interval;
  std::size_t rank;
};
// By the call that owns the work and, where that was captured, the launch of the graph.
using SpanKey = std::pair<std::uint32_t, std::uint32_t>;
using Spans = std::map<SpanKey, Span>;

Spans spans_of(const model::Run& run, const model::Process& process) {
  Spans spans;
  for (std::size_t i = 0; i < run.ranks.size(); ++i) {
    const model::Rank& rank = run.ranks[i];
    if (rank.process != &process || !rank.work) continue;
    for (const model::DeviceWork& work : *rank.work) {
      if (!work.communication || work.owner == kNone) continue;
      const bool is_replay = process.calls[work.call].kind == CallKind::kGraphLaunch;
      const auto [at, is_new] = spans.try_emplace({work.owner, is_replay ? work.call : kNone},
                                                  Span{{work.start, work.end}, i});
      Interval& interval = at->second.interval;
      interval.start = std::min(interval.start, work.start);
      interval.end = std::max(interval.end, work.end);
    }
  }
  return spans;
}

bool owns_work(const Spans& spans, std::uint32_t call) {
  const auto found = spans.lower_bound({call, 0});
  return found != spans.end() && found->first.first == call;
}

// For each grouped collective the group end that launched it: the next one on its thread that
// launched anything. Inner ends of nested groups launch nothing.
std::map<std::uint32_t, std::vector<std::uint32_t>> groups_of(const model::Process& process,
                                                              const Spans& spans) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> groups;
  for (const auto& [thread, list] : process.threads) {
    std::vector<std::uint32_t> pending;
    for (const std::uint32_t i : list) {
      const HostCall& call = process.calls[i];
      if (call.kind == CallKind::kCollective && call.group != 0 && !owns_work(spans, i))
        pending.push_back(i);
      else if (call.kind == CallKind::kGroupEnd && owns_work(spans, i))
        groups[i] = std::exchange(pending, {});
    }
  }
  return groups;
}

struct Carrier {
  std::uint32_t call;
  std::uint32_t members;
  std::uint32_t position;
};

class ProcessCollectives {
 public:
  ProcessCollectives(const model::Run& run, const model::Process& process,
                     std::vector<CollectiveCall>& result)
      : process_(process), spans_(spans_of(run, process)), result_(result) {
    for (const auto& [end, collectives] : groups_of(process, spans_))
      for (std::uint32_t at = 0; at < collectives.size(); ++at)
        carriers_[collectives[at]] = {end, static_cast<std::uint32_t>(collectives.size()), at};
  }

  void find() {
    for (std::uint32_t i = 0; i < process_.calls.size(); ++i) {
      const HostCall& call = process_.calls[i];
      if (call.result != 0) continue;
      if (call.kind == CallKind::kCollective && call.graph == 0) add(i, kNone, 1);
      if (call.kind == CallKind::kGraphLaunch && call.graph == 0) add_replay(i);
    }
  }

 private:
  // What a launch of a graph does of collectives.
  void add_replay(std::uint32_t launch) {
    const std::vector<std::uint32_t>* const calls =
        contents_.calls_of(process_.calls[launch].subject);
    if (calls == nullptr) return;
    std::map<std::uint32_t, std::uint64_t> times;
    for (const std::uint32_t i : *calls)
      if (process_.calls[i].kind == CallKind::kCollective) ++times[i];
    for (const auto& [collective, count] : times)
      for (std::uint64_t n = 0; n < count; ++n) add(collective, launch, count);
  }

  // The device work of a collective that one launch does `times` cannot be told apart.
  void add(std::uint32_t i, std::uint32_t launch, std::uint64_t times) {
    CollectiveCall found{.process = &process_,
                         .shape = &process_.collectives[process_.calls[i].subject],
                         .call = i,
                         .replay = launch == kNone ? 0 : replays_[i]++,
                         .rank = 0,
                         .span = std::nullopt};
    const auto carrier = carriers_.find(i);
    if (carrier != carriers_.end()) {
      found.members = carrier->second.members;
      found.position = carrier->second.position;
    }
    const auto span = spans_.find({carrier == carriers_.end() ? i : carrier->second.call, launch});
    if (span != spans_.end() && times == 1) {
      found.span = span->second.interval;
      found.rank = span->second.rank;
    }
    result_.push_back(found);
  }

  const model::Process& process_;
  const Spans spans_;
  std::vector<CollectiveCall>& result_;
  std::unordered_map<std::uint32_t, Carrier> carriers_;
  std::unordered_map<std::uint32_t, std::uint64_t> replays_;
  model::GraphContents contents_{process_};
};

}  // namespace

std::string label_of(const model::CommunicatorInfo& communicator) {
  if (!communicator.name.empty()) return communicator.name;
  if (communicator.hash != 0) return fmt::format("{:#018x}", communicator.hash);
  return "unknown";
}

std::vector<CollectiveCall> find_collective_calls(const model::Run& run) {
  std::vector<CollectiveCall> result;
  for (const auto& process : run.processes) ProcessCollectives(run, *process, result).find();
  return result;
}

}  // namespace mfushim::passes
