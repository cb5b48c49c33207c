// Bandwidths, waits and transfers of collectives, and how much of each communicator was hidden.
#include "passes/collectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "knowledge/dtypes.hpp"
#include "model/time_limits.hpp"
#include "passes/rank_clocks.hpp"

namespace mfushim::passes {

namespace {

std::string label_of(const CollectiveCall& call) {
  return passes::label_of(call.process->communicators[call.shape->communicator]);
}

// What a call did after the last rank had arrived; known only when all ranks' records are there.
using LastArrivals = std::vector<std::optional<std::int64_t>>;

LastArrivals last_arrivals(const std::vector<CollectiveCall>& calls,
                           const CompleteCollectives& complete, const RankClocks& clocks) {
  LastArrivals arrivals(calls.size());
  for (const auto& members : complete) {
    std::int64_t last = calls[members[0]].span->start + clocks.offset(calls[members[0]].process);
    for (const std::size_t i : members)
      last = std::max(last, calls[i].span->start + clocks.offset(calls[i].process));
    for (const std::size_t i : members) {
      const Interval& span = *calls[i].span;
      // Clocks may disagree by more than a short collective lasts.
      arrivals[i] = std::clamp(last - clocks.offset(calls[i].process), span.start, span.end);
    }
  }
  return arrivals;
}

void add_to_row(CollectiveRow& row, const CollectiveCall& call,
                std::optional<std::int64_t> arrival) {
  const auto& shape = *call.shape;
  const auto bytes = knowledge::collective_bytes(
      shape.op, shape.dtype, shape.count, call.process->communicators[shape.communicator].size);
  ++row.calls;
  row.bytes += bytes.value_or(0);
  if (!call.span) return;
  if (row.timed_calls++ == 0) row.wait_ns = row.transfer_ns = 0;
  row.timed_bytes += bytes.value_or(0);
  model::add_duration(row.duration_ns, call.part_of(call.span->end - call.span->start));
  if (!arrival || !row.wait_ns) {
    row.wait_ns = row.transfer_ns = std::nullopt;
    return;
  }
  model::add_duration(*row.wait_ns, call.part_of(*arrival - call.span->start));
  model::add_duration(*row.transfer_ns, call.part_of(call.span->end - *arrival));
}

Union ordered_union(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.start < b.start; });
  Union result;
  for (const Interval& interval : intervals) result.add(interval);
  return result;
}

void add_overlap(const std::vector<CollectiveCall>& calls, const LastArrivals& arrivals,
                 const std::vector<std::optional<Activity>>& activities, CollectiveResult& result) {
  std::map<std::pair<std::string, std::size_t>, std::vector<Interval>> by_communicator;
  std::map<std::size_t, std::vector<Interval>> transfers;
  bool all_known = true;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (!calls[i].span || !activities[calls[i].rank]) continue;
    by_communicator[{label_of(calls[i]), calls[i].rank}].push_back(*calls[i].span);
    all_known = all_known && arrivals[i];
    if (arrivals[i]) transfers[calls[i].rank].push_back({*arrivals[i], calls[i].span->end});
  }
  for (auto& [key, intervals] : by_communicator) {
    if (result.overlap.empty() || result.overlap.back().communicator != key.first)
      result.overlap.push_back({key.first, 0, 0});
    const Union spans = ordered_union(std::move(intervals));
    model::add_duration(result.overlap.back().comm_ns, spans.length());
    model::add_duration(result.overlap.back().hidden_ns,
                        common_length(spans, activities[key.second]->compute));
  }
  if (!all_known || transfers.empty()) return;
  result.transfer_ns = 0;
  for (auto& [rank, intervals] : transfers) {
    const Union spans = ordered_union(std::move(intervals));
    model::add_duration(*result.transfer_ns, spans.length());
    model::add_duration(result.hidden_transfer_ns, common_length(spans, activities[rank]->compute));
  }
}

}  // namespace

std::optional<double> CollectiveRow::alg_bytes_per_s() const {
  const std::int64_t time = transfer_ns.value_or(duration_ns);
  if (timed_bytes == 0 || time <= 0) return std::nullopt;
  return static_cast<double>(timed_bytes) * 1e9 / static_cast<double>(time);
}

std::optional<double> CollectiveRow::bus_bytes_per_s() const {
  const auto rate = alg_bytes_per_s();
  const auto factor = knowledge::bus_factor(op, size);
  if (!rate || !factor) return std::nullopt;
  return *rate * *factor;
}

CollectiveResult find_collectives(const model::Run& run,
                                  const std::vector<std::optional<Activity>>& activities) {
  CollectiveResult result;
  const auto calls = find_collective_calls(run);
  const auto complete = complete_collectives(calls);
  const RankClocks clocks(calls, complete);
  const LastArrivals arrivals = last_arrivals(calls, complete, clocks);
  result.clock_residual_ns = clocks.residual_ns();

  std::map<std::tuple<std::string, format::CollectiveOp, format::DType>, CollectiveRow> rows;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const auto& shape = *calls[i].shape;
    CollectiveRow& row = rows[{label_of(calls[i]), shape.op, shape.dtype}];
    row.communicator = label_of(calls[i]);
    row.op = shape.op;
    row.dtype = shape.dtype;
    row.size = calls[i].process->communicators[shape.communicator].size;
    add_to_row(row, calls[i], arrivals[i]);
  }
  bool wait_known = !rows.empty();
  std::int64_t wait = 0;
  for (auto& [key, row] : rows) {
    wait_known = wait_known && (row.timed_calls == 0 || row.wait_ns);
    model::add_duration(wait, row.wait_ns.value_or(0));
    result.rows.push_back(std::move(row));
  }
  if (wait_known) result.wait_ns = wait;
  std::stable_sort(
      result.rows.begin(), result.rows.end(),
      [](const CollectiveRow& a, const CollectiveRow& b) { return a.duration_ns > b.duration_ns; });
  add_overlap(calls, arrivals, activities, result);
  return result;
}

}  // namespace mfushim::passes
