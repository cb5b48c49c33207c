// Work per token times tokens per step over the steps' mean time and the GPUs' peak.
#include "passes/model_mfu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mfushim::passes {

namespace {

using knowledge::Convention;

std::string what_is_missing(const ModelFacts& facts, const std::optional<StepTimes>& steps,
                            Convention convention) {
  if (!facts.problem.empty()) return facts.problem;
  if (const auto missing = knowledge::missing_for(facts.work, convention); !missing.empty())
    return fmt::format("its work needs {}", missing);
  if (!facts.tokens_per_step) return "the tokens of a step are not known: give --tokens-per-step";
  if (!steps) return "the steps are not known, without which tokens per step mean nothing";
  return {};
}

void find_shares(const ModelFacts& facts, const Efficiency& efficiency, ModelMfu& result) {
  const double tokens_per_gpu_s = result.tokens_per_s / result.gpus;
  const auto share = [&](Convention convention, double peak) -> std::optional<double> {
    const auto flops = knowledge::flops_per_token(facts.work, convention);
    if (!flops) return std::nullopt;
    return flops->model * tokens_per_gpu_s / peak;
  };
  if (!efficiency.peak_range) return;
  const double error = 2 * result.steps.error_s / result.steps.mean_s;
  result.low = *share(result.convention, efficiency.peak_range->high) / (1 + error);
  if (error < 1) result.high = *share(result.convention, efficiency.peak_range->low) / (1 - error);
  if (!efficiency.peak) return;
  result.value = share(result.convention, *efficiency.peak);
  result.causal = share(Convention::kCausal, *efficiency.peak);
  result.noncausal = share(Convention::kNoncausal, *efficiency.peak);
}

// Whether the steps are most of the recorded time, so that rates of both can be compared.
bool steps_fill(const StepTimes& steps, double time_s) {
  const double share = static_cast<double>(steps.count) * steps.mean_s / time_s;
  return share > 0.8 && share < 1.25;
}

void find_doubts(const model::Run& run, const ModelFacts& facts, const CountedWork& work,
                 const Efficiency& efficiency, std::optional<double> executed_per_step,
                 ModelMfu& result) {
  if (executed_per_step)
    result.of_observed = result.flops_per_step / result.gpus / *executed_per_step;
  else if (efficiency.flops_per_s && steps_fill(result.steps, efficiency.mean_time_s))
    result.of_observed =
        result.flops_per_token * result.tokens_per_s / result.gpus / *efficiency.flops_per_s;
  const bool enough_seen = work.unknown_share.value_or(1) < knowledge::kMostUnseen;
  if (result.of_observed && enough_seen && knowledge::is_mismatch(*result.of_observed))
    result.causes = knowledge::find_mismatches(
        {.ratio = *result.of_observed, .gpus = result.gpus, .params_given = !!facts.work.params});
  if (!result.causes.empty() || !result.value) return;
  if (!knowledge::is_doubtful(*result.value, facts.work.inference)) return;
  knowledge::GpuMatch gpu;
  if (!run.ranks.empty()) gpu = find_gpu(run.ranks.front());
  std::optional<double> given;
  if (efficiency.peak_source != PeakSource::kDatasheet) given = efficiency.peak;
  result.causes = knowledge::find_causes({.mfu = *result.value,
                                          .inference = facts.work.inference,
                                          .gpus = result.gpus,
                                          .seq = facts.work.seq,
                                          .rate_given = false,
                                          .peak_given = given,
                                          .gpu = gpu,
                                          .dtype = efficiency.dtype,
                                          .params = facts.work.params});
}

}  // namespace

double count_gpus(const model::Run& run) {
  std::int64_t world = 0;
  for (const auto& process : run.processes)
    world = std::max(world, process->integer_fact("world_size").value_or(0));
  return std::max(static_cast<double>(world), static_cast<double>(run.ranks.size()));
}

StepTimes step_times(const std::vector<std::int64_t>& durations_ns) {
  StepTimes times;
  times.count = durations_ns.size();
  if (durations_ns.empty()) return times;
  const auto count = static_cast<double>(durations_ns.size());
  for (const std::int64_t ns : durations_ns) times.mean_s += static_cast<double>(ns) / 1e9 / count;
  if (durations_ns.size() < 2) return times;
  double squares = 0;
  for (const std::int64_t ns : durations_ns)
    squares += std::pow(static_cast<double>(ns) / 1e9 - times.mean_s, 2);
  times.error_s = std::sqrt(squares / (count - 1) / count);
  return times;
}

std::optional<ModelMfu> find_model_mfu(const model::Run& run, const CountedWork& work,
                                       const Efficiency& efficiency, const ModelFacts& facts,
                                       const std::optional<StepTimes>& steps,
                                       std::optional<double> executed_per_step) {
  if (!facts.has_model() && facts.problem.empty()) return std::nullopt;
  ModelMfu result;
  result.name = facts.name;
  result.convention = knowledge::usual_convention(facts.work);
  result.seq = facts.work.seq;
  result.absent_because = what_is_missing(facts, steps, result.convention);
  if (!result.absent_because.empty()) return result;
  result.flops_per_token = knowledge::flops_per_token(facts.work, result.convention)->model;
  result.tokens_per_step = *facts.tokens_per_step;
  result.tokens_are_inferred = facts.tokens_are_inferred;
  result.flops_per_step = result.flops_per_token * result.tokens_per_step;
  result.gpus = count_gpus(run);
  result.ranks = run.ranks.size();
  result.steps = *steps;
  result.tokens_per_s = result.tokens_per_step / steps->mean_s;
  find_shares(facts, efficiency, result);
  if (executed_per_step && efficiency.peak)
    result.hfu = *executed_per_step / steps->mean_s / *efficiency.peak;
  find_doubts(run, facts, work, efficiency, executed_per_step, result);
  return result;
}

}  // namespace mfushim::passes
