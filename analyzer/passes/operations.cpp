// Groups operations by everything that the table prints.
#include "passes/operations.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "model/time_limits.hpp"

namespace mfushim::passes {

namespace {

using model::CallKind;
using model::HostCall;
using model::kNone;

auto operation_key(const format::OperationShape& s, const std::string& api) {
  return std::tuple(s.operation, s.batch, s.groups, s.m, s.n, s.k, s.l, s.window, s.dtype, s.flags,
                    api);
}

class OperationFinder {
 public:
  explicit OperationFinder(const model::Run& run) : run_(run) {
    result_.by_rank.resize(run.ranks.size());
  }

  OperationResult find() {
    for (const auto& process : run_.processes) {
      add_times(*process);
      add_calls(*process);
    }
    for (auto& [key, row] : rows_) result_.rows.push_back(std::move(row));
    std::stable_sort(result_.rows.begin(), result_.rows.end(),
                     [](const OperationRow& a, const OperationRow& b) {
                       return std::tuple(a.flops, a.total_ns) > std::tuple(b.flops, b.total_ns);
                     });
    return std::move(result_);
  }

 private:
  OperationRow& row_of(const model::Process& process, const HostCall& call) {
    const format::OperationShape& shape = process.operations[call.subject];
    const std::string& api = process.names[call.api];
    OperationRow& row = rows_[operation_key(shape, api)];
    row.shape = shape;
    row.api = api;
    return row;
  }

  void add_times(const model::Process& process) {
    rank_of_call_.clear();
    first_rank_ = kNone;
    for (std::uint32_t i = 0; i < run_.ranks.size(); ++i) {
      const model::Rank& rank = run_.ranks[i];
      if (rank.process != &process) continue;
      first_rank_ = std::min(first_rank_, i);
      if (!rank.work) continue;
      for (const model::DeviceWork& work : *rank.work) {
        if (work.owner == kNone || process.calls[work.owner].kind != CallKind::kOperation) continue;
        rank_of_call_[work.owner] = i;
        model::add_duration(row_of(process, process.calls[work.owner]).total_ns,
                            work.end - work.start);
      }
    }
  }

  void add_calls(const model::Process& process) {
    for (std::uint32_t i = 0; i < process.calls.size(); ++i) {
      const HostCall& call = process.calls[i];
      if (call.kind != CallKind::kOperation || call.result != 0) continue;
      const std::uint64_t times = process.executions(call);
      if (times == 0) continue;
      OperationRow& row = row_of(process, call);
      const Flops flops = flops_of(row.shape) * times;
      row.calls += times;
      row.flops += flops;
      if (!is_exact(row.shape)) {
        result_.inexact += times;
        continue;
      }
      const Flops needed = needed_flops_of(row.shape) * times;
      result_.flops += flops;
      result_.needed += needed;
      if (is_attention(row.shape)) result_.attention += needed;
      const auto ran_on = rank_of_call_.find(i);
      const std::uint32_t rank = ran_on != rank_of_call_.end() ? ran_on->second : first_rank_;
      if (rank != kNone) result_.by_rank[rank] += flops;
    }
  }

  const model::Run& run_;
  OperationResult result_;
  std::map<decltype(operation_key({}, {})), OperationRow> rows_;
  std::unordered_map<std::uint32_t, std::uint32_t> rank_of_call_;
  std::uint32_t first_rank_ = kNone;  // of the process
};

}  // namespace

OperationResult find_operations(const model::Run& run) {
  return OperationFinder(run).find();
}

}  // namespace mfushim::passes
