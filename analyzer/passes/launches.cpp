// Launch statistics, and whom each idle gap of a device waited for.
#include "passes/launches.hpp"

#include <algorithm>
#include <map>

#include "model/time_limits.hpp"

namespace mfushim::passes {

namespace {

using model::CallKind;
using model::DeviceWork;
using model::HostCall;
using model::kNone;

constexpr std::int64_t kLongCallNs = 50'000;
constexpr std::int64_t kLongDelayNs = 100'000;

bool submits_work(const HostCall& call) {
  return call.graph == 0 && call.kind != CallKind::kSync &&
         call.kind != CallKind::kGroupSimulation && call.kind != CallKind::kOther;
}

void count_calls(const model::Process& process, LaunchResult& result) {
  for (const HostCall& call : process.calls) {
    if (!call.is_launch()) continue;
    if (call.result != 0) {
      ++result.failed;
      continue;
    }
    ++result.calls;
    result.graph_launches += call.kind == CallKind::kGraphLaunch;
    model::add_duration(result.host_ns, call.end - call.start);
  }
}

// Looks at each record of a rank beside the call that launched it.
void look_at_records(const model::Rank& rank, View view, LaunchResult& result,
                     std::vector<std::int64_t>& delays) {
  const model::Process& process = *rank.process;
  const Selection selection(rank, view);
  std::vector<bool> seen(process.calls.size());
  for (const DeviceWork& work : *rank.work) {
    if (work.call == kNone || work.sampled) continue;
    const HostCall& call = process.calls[work.call];
    const std::int64_t delay = work.start - process.on_device_clock(call.end);
    const bool first = !seen[work.call];
    seen[work.call] = true;
    if (call.is_launch() && first) {
      ++result.with_gpu_record;
      delays.push_back(delay);
    }
    if (call.kind == CallKind::kGraphLaunch) {
      result.graphs_with_record += first;
      result.graph_kernels += work.kind == model::WorkKind::kKernel;
      continue;
    }
    if (!selection.keeps(work)) continue;
    const std::int64_t call_ns = call.end - call.start;
    ++result.records;
    result.call_over_50us += call_ns > kLongCallNs;
    result.shorter_than_call += work.end - work.start < call_ns && call_ns <= kLongCallNs;
    result.delay_over_100us += delay > kLongDelayNs;
  }
}

// Times of one thread inside recorded calls, on the device's clock.
struct ThreadTime {
  Union submitting;
  Union other;
};

std::map<std::uint32_t, ThreadTime> thread_times(const model::Process& process) {
  std::map<std::uint32_t, ThreadTime> times;
  for (const auto& [thread, list] : process.threads) {
    ThreadTime& time = times[thread];
    for (const std::uint32_t i : list) {
      const HostCall& call = process.calls[i];
      if (call.parent != kNone) continue;
      (submits_work(call) ? time.submitting : time.other)
          .add({process.on_device_clock(call.start), process.on_device_clock(call.end)});
    }
  }
  return times;
}

void look_at_gap(const model::Process& process, const std::map<std::uint32_t, ThreadTime>& times,
                 Interval gap, const DeviceWork& work, LaunchResult::Bound& bound) {
  if (work.call == kNone) return;
  const HostCall& call = process.calls[work.call];
  const std::int64_t launched = process.on_device_clock(call.end);
  if (launched <= gap.start) return;
  const Interval late{gap.start, std::min(launched, gap.end)};
  const auto found = times.find(call.thread);
  std::int64_t submitting = 0;
  std::int64_t other = 0;
  if (found != times.end()) {
    submitting = common_length(found->second.submitting, late);
    other = common_length(found->second.other, late);
  }
  const std::int64_t length = late.end - late.start;
  // Calls of one thread nest or follow each other; where stamps still overlap, waiting counts less.
  other = std::min(other, length - submitting);
  model::add_duration(bound.total_ns, gap.end - gap.start);
  model::add_duration(bound.launch_calls_ns, submitting);
  model::add_duration(bound.other_calls_ns, other);
  model::add_duration(bound.outside_ns, length - submitting - other);
  model::add_duration(bound.device_ns, gap.end - late.end);
}

void look_at_gaps(const model::Rank& rank, const Activity& activity, LaunchResult& result) {
  const model::Process& process = *rank.process;
  if (!result.bound) result.bound.emplace();
  model::add_duration(result.bound->device_total_ns, activity.spans.length());
  const auto times = thread_times(process);
  auto work = rank.work->begin();
  const auto& busy = activity.all.intervals();
  for (std::size_t i = 1; i < busy.size(); ++i) {
    // The busy interval begins with the first record that has a length and starts where it does.
    while (work->start < busy[i].start || work->end == work->start) ++work;
    const Interval gap{busy[i - 1].end, busy[i].start};
    // Between two windows of device times nobody knows whether the device was idle.
    if (common_length(activity.spans, gap) < gap.end - gap.start) continue;
    look_at_gap(process, times, gap, *work, *result.bound);
  }
}

// The value of that rank (nearest above); reorders `values`.
std::int64_t percentile(std::vector<std::int64_t>& values, std::size_t percent) {
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>((values.size() * percent + 99) / 100 - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

LaunchResult find_launches(const model::Run& run, View view,
                           const std::vector<std::optional<Activity>>& activities) {
  LaunchResult result;
  std::vector<std::int64_t> delays;
  for (const auto& process : run.processes) count_calls(*process, result);
  for (std::size_t i = 0; i < run.ranks.size(); ++i) {
    if (!activities[i]) continue;
    look_at_records(run.ranks[i], view, result, delays);
    if (run.ranks[i].process->has_gpu_time()) look_at_gaps(run.ranks[i], *activities[i], result);
  }
  if (!delays.empty())
    result.delay = {percentile(delays, 50), percentile(delays, 90), percentile(delays, 99)};
  return result;
}

}  // namespace mfushim::passes
