// Finds the kernels of collectives: those launched inside the call, or at the end of its NCCL
// group.
#include "passes/collective_calls.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace mfushim::passes {

namespace {

using model::CallKind;
using model::HostCall;
using model::kNone;

struct Span {
  Interval interval;
  std::size_t rank;
};
using Spans = std::unordered_map<std::uint32_t, Span>;  // by the call that owns the work

Spans spans_of(const model::Run& run, const model::Process& process) {
  Spans spans;
  for (std::size_t i = 0; i < run.ranks.size(); ++i) {
    const model::Rank& rank = run.ranks[i];
    if (rank.process != &process || !rank.work) continue;
    for (const model::DeviceWork& work : *rank.work) {
      if (!work.communication || work.owner == kNone) continue;
      const auto [at, is_new] = spans.try_emplace(work.owner, Span{{work.start, work.end}, i});
      Interval& interval = at->second.interval;
      interval.start = std::min(interval.start, work.start);
      interval.end = std::max(interval.end, work.end);
    }
  }
  return spans;
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
      if (call.kind == CallKind::kCollective && call.group != 0 && !spans.contains(i))
        pending.push_back(i);
      else if (call.kind == CallKind::kGroupEnd && spans.contains(i))
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

void add_process(const model::Run& run, const model::Process& process,
                 std::vector<CollectiveCall>& result) {
  const Spans spans = spans_of(run, process);
  std::unordered_map<std::uint32_t, Carrier> carriers;
  for (const auto& [end, collectives] : groups_of(process, spans))
    for (std::uint32_t at = 0; at < collectives.size(); ++at)
      carriers[collectives[at]] = {end, static_cast<std::uint32_t>(collectives.size()), at};
  for (std::uint32_t i = 0; i < process.calls.size(); ++i) {
    const HostCall& call = process.calls[i];
    if (call.kind != CallKind::kCollective || call.result != 0) continue;
    CollectiveCall found{.process = &process,
                         .shape = &process.collectives[call.subject],
                         .call = i,
                         .rank = 0,
                         .span = std::nullopt};
    const auto carrier = carriers.find(i);
    if (carrier != carriers.end()) {
      found.members = carrier->second.members;
      found.position = carrier->second.position;
    }
    const auto span = spans.find(carrier == carriers.end() ? i : carrier->second.call);
    if (span != spans.end()) {
      found.span = span->second.interval;
      found.rank = span->second.rank;
    }
    result.push_back(found);
  }
}

}  // namespace

std::vector<CollectiveCall> find_collective_calls(const model::Run& run) {
  std::vector<CollectiveCall> result;
  for (const auto& process : run.processes) add_process(run, *process, result);
  return result;
}

}  // namespace mfushim::passes
