// Runs the passes in the order in which they need each other.
#include "passes/analysis.hpp"

#include <algorithm>

#include "model/narrow.hpp"

namespace mfushim::passes {

namespace {

std::optional<StepTimes> times_of(const std::optional<StepResult>& steps) {
  if (!steps) return std::nullopt;
  std::vector<std::int64_t> durations;
  for (const Step& step : steps->list)
    if (step.use == StepUse::kCounted) durations.push_back(step.duration_ns);
  return step_times(durations);
}

// Of one GPU: in the steps that were looked at.
std::optional<double> executed_products_per_step(const Analysis& a) {
  if (!a.inference || a.inference->steps == 0 || a.inference->executed == 0) return std::nullopt;
  return static_cast<double>(a.inference->executed) / static_cast<double>(a.inference->steps);
}

// Likewise, and other work in proportion.
std::optional<double> executed_per_step(const Analysis& a) {
  const auto products = executed_products_per_step(a);
  if (!products || a.work.products == 0) return std::nullopt;
  return *products * static_cast<double>(a.work.executed) / static_cast<double>(a.work.products);
}

// What was told, and else the tokens that the products show.
ModelFacts with_tokens(const ModelFacts& facts, const std::optional<Inference>& inference) {
  ModelFacts result = facts;
  if (facts.tokens_per_step || !inference || !inference->tokens_per_step()) return result;
  result.tokens_per_step = static_cast<double>(*inference->tokens_per_step());
  result.tokens_are_inferred = true;
  return result;
}

void hold_against_time(const model::Run& run, const ProductResult& products,
                       const OperationResult& operations, const KernelResult& kernels,
                       Analysis& a) {
  a.work = count_work(products, operations, kernels, a.inference, a.repeats);
  a.rooflines = find_rooflines(run, products, operations, kernels);
}

// Only that counts which was done in the time that is known.
void hold_against_time(const model::Run& run, Analysis& a) {
  if (!a.has_device_times() || model::is_timed_throughout(run))
    return hold_against_time(run, a.products, a.operations, a.kernels, a);
  const model::Run timed = model::timed_part(run);
  hold_against_time(timed, find_products(timed), find_operations(timed), find_kernels(timed), a);
}

// Of all GPUs, for the counted work: as many steps as the products of the process make whose steps
// are listed, each as long as on the host.
double time_by_steps(const model::Run& run, const Analysis& a) {
  const auto per_step = executed_products_per_step(a);
  const auto step_s = a.mean_step_s();
  if (!per_step || !step_s) return 0;
  const model::Process* const reference = run.processes[a.steps->reference].get();
  double flops = 0;
  for (std::size_t i = 0; i < run.ranks.size(); ++i)
    if (run.ranks[i].process == reference) flops += static_cast<double>(a.products.by_rank[i]);
  return flops / *per_step * *step_s * static_cast<double>(run.ranks.size());
}

using Activities = std::vector<std::optional<Activity>>;  // as Run::ranks

Activities find_activities(const model::Run& run, View view) {
  Activities activities(run.ranks.size());
  for (std::size_t i = 0; i < run.ranks.size(); ++i)
    if (run.ranks[i].has_complete_times()) activities[i] = find_activity(run.ranks[i], view);
  return activities;
}

std::vector<std::optional<Ledger>> make_ledgers(const Activities& activities) {
  std::vector<std::optional<Ledger>> ledgers(activities.size());
  for (std::size_t i = 0; i < activities.size(); ++i)
    if (activities[i]) ledgers[i] = make_ledger(*activities[i]);
  return ledgers;
}

}  // namespace

std::uint64_t Analysis::unaccounted_launches() const {
  const std::uint64_t explained = launches.with_gpu_record + windows.untimed_launches +
                                  coverage.gpu_dropped + coverage.all_invalid();
  return launches.calls > explained ? launches.calls - explained : 0;
}

std::optional<double> Analysis::mean_step_s() const {
  const auto times = times_of(steps);
  return times ? std::optional(times->mean_s) : std::nullopt;
}

bool Analysis::has_device_times() const {
  return std::any_of(ledgers.begin(), ledgers.end(), [](const auto& l) { return l.has_value(); });
}

Analysis analyze(const model::Run& run, const AnalysisOptions& options) {
  Analysis a;
  a.run = &run;
  a.view = options.view;
  const auto activities = find_activities(run, options.view);
  // Work is held against all of the time, also where the view leaves some out.
  const bool is_exact = options.view == View::kExact;
  const auto others = is_exact ? Activities{} : find_activities(run, View::kExact);
  const Activities& all = is_exact ? activities : others;
  a.ledgers = make_ledgers(activities);
  for (const auto& ledger : a.ledgers)
    if (ledger) a.sum += *ledger;
  for (std::size_t i = 0; i < run.ranks.size(); ++i)
    a.clocks.push_back(find_device_clock(run.ranks[i], all[i]));
  a.windows = find_windows(run);
  a.window_cost = find_window_cost(a.windows);
  a.launches = find_launches(run, options.view, activities);
  a.collectives = find_collectives(run, activities);
  a.products = find_products(run);
  a.operations = find_operations(run);
  a.kernels = find_kernels(run);
  a.coverage = find_coverage(run);
  a.steps = options.steps ? options.steps : find_steps(run);
  a.inference = find_inference(run, a.steps);
  a.repeats = find_repeats(run, a.steps);
  hold_against_time(run, a);
  a.efficiency = find_efficiency(run, is_exact ? a.ledgers : make_ledgers(all), a.clocks, a.work,
                                 time_by_steps(run, a), options.efficiency);
  const std::optional<StepTimes> step_times = times_of(a.steps);
  a.padding = find_padding(run, options.model, step_times, a.inference);
  a.model_mfu = find_model_mfu(run, a.work, a.efficiency, with_tokens(options.model, a.inference),
                               step_times, executed_per_step(a));
  if (a.steps) a.step_mfu = find_step_mfu(run, *a.steps, a.work, a.efficiency, a.model_mfu);
  a.waterfall = find_waterfall(run, all, a.work, a.efficiency, a.model_mfu);
  return a;
}

}  // namespace mfushim::passes
