// A call belongs to the step in whose host time it was made.
#include "passes/step_mfu.hpp"

#include <algorithm>

namespace mfushim::passes {

namespace {

using model::CallKind;

bool is_captured_work(const model::HostCall& call) {
  return call.graph != 0 && (call.kind == CallKind::kGemm || call.kind == CallKind::kOperation);
}

Flops flops_of_call(const model::Process& process, const model::HostCall& call) {
  if (call.result != 0) return 0;
  if (call.kind == CallKind::kGemm) return flops_of(process.shapes[call.subject]) * call.number;
  if (call.kind == CallKind::kOperation && is_exact(process.operations[call.subject]))
    return flops_of(process.operations[call.subject]);
  return 0;
}

std::vector<double> recorded_flops(const model::Process& process,
                                   const std::vector<Interval>& spans) {
  std::vector<double> flops(spans.size());
  for (const model::HostCall& call : process.calls) {
    const auto after = std::upper_bound(
        spans.begin(), spans.end(), call.start,
        [](std::int64_t start, const Interval& span) { return start < span.start; });
    if (after == spans.begin() || call.start >= std::prev(after)->end) continue;
    flops[static_cast<std::size_t>(std::prev(after) - spans.begin())] +=
        static_cast<double>(flops_of_call(process, call));
  }
  return flops;
}

}  // namespace

std::vector<double> find_step_mfu(const model::Run& run, const StepResult& steps,
                                  const CountedWork& work, const Efficiency& efficiency,
                                  const std::optional<ModelMfu>& model) {
  if (!efficiency.peak) return {};
  std::vector<double> flops;  // of each step and GPU
  if (model && model->value) {
    flops.assign(steps.list.size(), model->flops_per_step / model->gpus);
  } else {
    const model::Process& process = *run.processes[steps.reference];
    const auto gpus = std::count_if(run.ranks.begin(), run.ranks.end(),
                                    [&](const auto& rank) { return rank.process == &process; });
    const bool captured = std::any_of(process.calls.begin(), process.calls.end(), is_captured_work);
    if (work.exact == 0 || captured || gpus == 0) return {};
    const double needed = static_cast<double>(work.needed()) / static_cast<double>(work.exact);
    flops = recorded_flops(process, steps.spans[steps.reference]);
    for (double& value : flops) value *= needed / static_cast<double>(gpus);
  }
  std::vector<double> result;
  for (std::size_t i = 0; i < steps.list.size(); ++i) {
    const auto seconds = static_cast<double>(steps.list[i].duration_ns) / 1e9;
    if (seconds <= 0) return {};
    result.push_back(flops[i] / seconds / *efficiency.peak);
  }
  return result;
}

}  // namespace mfushim::passes
