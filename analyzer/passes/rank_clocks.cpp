// Joins the calls of one collective across ranks, and aligns clocks on their ends.
#include "passes/rank_clocks.hpp"

#include <algorithm>
#include <set>

namespace mfushim::passes {

namespace {

// Messages and one-sided calls are no meeting of all ranks.
bool meets_all_ranks(format::CollectiveOp op) {
  using enum format::CollectiveOp;
  return op != kSend && op != kRecv && op != kPut && op != kSignal && op != kWaitSignal;
}

}  // namespace

CompleteCollectives complete_collectives(const std::vector<CollectiveCall>& calls) {
  using format::CollectiveOp;
  std::map<std::tuple<std::uint64_t, std::uint32_t, std::uint64_t, CollectiveOp>,
           std::vector<std::size_t>>
      all;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const CollectiveCall& c = calls[i];
    const CollectiveOp op = c.shape->op;
    const auto& communicator = c.process->communicators[c.shape->communicator];
    if (!c.span || communicator.hash == 0 || !meets_all_ranks(op)) continue;
    all[{communicator.hash, c.process->calls[c.call].number, c.replay, op}].push_back(i);
  }
  CompleteCollectives complete;
  for (auto& [key, members] : all) {
    std::set<std::size_t> ranks;
    for (const std::size_t i : members) ranks.insert(calls[i].rank);
    const CollectiveCall& first = calls[members[0]];
    const auto size = first.process->communicators[first.shape->communicator].size;
    if (size > 0 && ranks.size() == static_cast<std::size_t>(size) &&
        ranks.size() == members.size())
      complete.push_back(std::move(members));
  }
  return complete;
}

RankClocks::RankClocks(const std::vector<CollectiveCall>& calls,
                       const CompleteCollectives& complete) {
  if (complete.empty()) return;
  const model::Process* const reference = calls[complete[0][0]].process;
  std::map<const model::Process*, std::vector<std::int64_t>> differences;
  const auto end_of = [&](std::size_t i) { return calls[i].span->end + offset(calls[i].process); };
  for (const auto& members : complete) {
    const auto anchor = std::find_if(members.begin(), members.end(),
                                     [&](std::size_t i) { return calls[i].process == reference; });
    if (anchor == members.end()) continue;
    for (const std::size_t i : members)
      if (calls[i].process->fact("host") != reference->fact("host"))
        differences[calls[i].process].push_back(end_of(*anchor) - end_of(i));
  }
  for (auto& [process, list] : differences) {
    const auto middle = list.begin() + static_cast<std::ptrdiff_t>(list.size() / 2);
    std::nth_element(list.begin(), middle, list.end());
    corrections_[process] = *middle;
  }
  for (const auto& members : complete) {
    const auto [first, last] =
        std::minmax_element(members.begin(), members.end(),
                            [&](std::size_t a, std::size_t b) { return end_of(a) < end_of(b); });
    residual_ns_ = std::max(residual_ns_, end_of(*last) - end_of(*first));
  }
}

std::int64_t RankClocks::offset(const model::Process* process) const {
  const auto found = corrections_.find(process);
  return process->gpu_time.offset_ns + (found == corrections_.end() ? 0 : found->second);
}

}  // namespace mfushim::passes
