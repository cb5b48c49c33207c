// Reads one process: the others of a job do the same, or another part of the same model.
#include "passes/inference.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "passes/product_roles.hpp"

namespace mfushim::passes {

namespace {

using model::CallKind;
using model::HostCall;

// Calls of a process's products of known sizes between two times, in order.
std::vector<std::uint32_t> calls_between(const model::Process& process,
                                         const std::vector<std::uint32_t>& order,
                                         const Interval& span) {
  const auto first_since = [&](std::int64_t time) {
    return std::lower_bound(
        order.begin(), order.end(), time,
        [&](std::uint32_t call, std::int64_t at) { return process.calls[call].start < at; });
  };
  std::vector<std::uint32_t> calls;
  for (auto at = first_since(span.start); at != first_since(span.end); ++at)
    calls.insert(calls.end(), process.calls[*at].number, *at);
  return calls;
}

std::vector<std::uint32_t> ordered_products(const model::Process& process) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < process.calls.size(); ++i) {
    const HostCall& call = process.calls[i];
    if (call.kind == CallKind::kGemm && call.result == 0 && call.graph == 0 &&
        has_known_shape(process, call) &&
        process.shapes[call.subject].product == format::ProductKind::kGemm)
      order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return process.calls[a].start < process.calls[b].start;
  });
  return order;
}

class InferenceMaker {
 public:
  void add(const StepProducts& step) {
    for (const ProductFamily& family : step.families) {
      ProductFamily& sum = families_[{family.dimensions, family.batch, family.rows}];
      const std::uint64_t products = sum.products + family.products;
      const std::uint64_t forward = sum.forward + family.forward;
      const std::uint64_t gradients = sum.gradients + family.gradients;
      const std::uint64_t recomputed = sum.recomputed + family.recomputed;
      sum = family;
      sum.products = products;
      sum.forward = forward;
      sum.gradients = gradients;
      sum.recomputed = recomputed;
    }
    ++votes_[{step.rows, step.micro_batches}];
    ++added_;
    tokens_ += step.rows * step.micro_batches;
    result_.has_backward = result_.has_backward || step.has_backward;
  }

  Inference make(std::size_t steps) {
    result_.steps = steps;
    for (auto& [key, family] : families_) {
      result_.executed += family.flops * family.products;
      result_.recomputed += family.flops * family.recomputed;
      if (family.rows == 0 && family.batch > 1)
        result_.activations += family.flops * (family.products - family.recomputed);
      result_.families.push_back(family);
    }
    std::stable_sort(result_.families.begin(), result_.families.end(),
                     [](const ProductFamily& a, const ProductFamily& b) {
                       return a.flops * a.products > b.flops * b.products;
                     });
    const auto usual =
        std::max_element(votes_.begin(), votes_.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (usual->first.first != 0) result_.rows = usual->first.first;
    result_.tokens = (tokens_ + added_ / 2) / added_;
    if (steps > 0 && result_.has_backward) result_.micro_batches = usual->first.second;
    return std::move(result_);
  }

 private:
  std::map<std::tuple<std::array<std::uint64_t, 3>, std::uint64_t, std::uint64_t>, ProductFamily>
      families_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> votes_;  // rows, micro-batches
  std::uint64_t added_ = 0, tokens_ = 0;                                  // steps, and their tokens
  Inference result_;
};

Flops scaled(Flops value, Flops part, Flops whole) {
  if (whole == 0) return value;
  const auto share = static_cast<long double>(part) / static_cast<long double>(whole);
  // Exact where the whole log is looked at, which is the usual case of small logs.
  return value == whole ? part : static_cast<Flops>(static_cast<long double>(value) * share);
}

StepWork work_of(const model::Process& process, const Interval& span,
                 std::vector<std::uint32_t> calls, std::size_t forward) {
  const bool ends = forward < calls.size();
  const std::int64_t end = ends ? process.calls[calls[forward]].start : span.end;
  calls.resize(forward);
  return {span, std::move(calls), end};
}

struct LookedAt {
  const StepProducts* products;  // one and the same where products are
  StepWork work;
};

// Where most steps have the same products others are no measure: the first may begin amid what a
// compiler tries out, and some hold an evaluation.
void keep_usual(std::vector<LookedAt>& steps) {
  std::map<const StepProducts*, std::size_t> numbers;
  for (const LookedAt& step : steps) ++numbers[step.products];
  const std::size_t all = steps.size();
  for (const auto& [usual, number] : numbers)
    if (3 * number >= 2 * all)
      std::erase_if(steps, [&](const LookedAt& step) { return step.products != usual; });
}

ModelSizes sizes_of(const Inference& inference) {
  ModelSizes sizes;
  Flops gradients = 0;
  std::uint64_t uses = 0;
  for (const ProductFamily& family : inference.families) {
    if (family.rows == 0) continue;
    auto widths = family.dimensions;
    std::iter_swap(std::find(widths.begin(), widths.end(), family.rows), widths.begin());
    sizes.activations.insert({family.rows, widths[1]});
    sizes.activations.insert({family.rows, widths[2]});
    gradients += Flops{widths[1]} * widths[2] * family.gradients;
    if (family.rows == *inference.rows) uses = std::gcd(uses, family.gradients);
  }
  sizes.uses = uses / inference.steps;
  sizes.gradients = static_cast<double>(gradients) / static_cast<double>(inference.steps);
  sizes.micro_batches = inference.micro_batches.value_or(1);
  return sizes;
}

}  // namespace

std::optional<std::uint64_t> Inference::tokens_per_step() const {
  if (!rows || !micro_batches || !data_parallel) return std::nullopt;
  return tokens * *data_parallel;
}

double Inference::recompute_share() const {
  return executed == 0 ? 0 : static_cast<double>(recomputed) / static_cast<double>(executed);
}

Flops Inference::needed(Flops executed_flops) const {
  return scaled(executed_flops, executed - recomputed, executed);
}

Flops Inference::needed_causal(Flops executed_flops) const {
  return scaled(executed_flops, executed - recomputed - activations / 2, executed);
}

std::optional<Inference> find_inference(const model::Run& run,
                                        const std::optional<StepResult>& steps) {
  if (run.processes.empty()) return std::nullopt;
  const model::Process& process = *run.processes[steps ? steps->reference : 0];
  const std::vector<std::uint32_t> order = ordered_products(process);
  if (order.empty()) return std::nullopt;
  std::vector<Interval> spans;
  if (steps) spans = steps->training_spans();
  std::map<std::vector<const format::GemmShape*>, StepProducts> known;  // most steps are the same
  const std::size_t number = spans.size();
  if (spans.empty())
    spans.push_back({process.calls[order.front()].start, process.calls[order.back()].start + 1});
  std::vector<LookedAt> looked_at;
  for (const Interval& span : spans) {
    auto calls = calls_between(process, order, span);
    if (calls.empty()) continue;
    std::vector<const format::GemmShape*> products;
    for (const std::uint32_t call : calls)
      products.push_back(&process.shapes[process.calls[call].subject]);
    auto at = known.find(products);
    if (at == known.end()) at = known.emplace(products, find_roles(products)).first;
    looked_at.push_back(
        {&at->second, work_of(process, span, std::move(calls), at->second.forward)});
  }
  if (known.empty()) return std::nullopt;
  keep_usual(looked_at);
  InferenceMaker maker;
  std::vector<StepWork> work;
  for (LookedAt& step : looked_at) {
    maker.add(*step.products);
    work.push_back(std::move(step.work));
  }
  Inference inference = maker.make(number > 0 ? work.size() : 0);
  if (number > 0 && inference.rows) {
    const Parallelism parallelism = find_parallelism(process, work, sizes_of(inference));
    inference.sharing = parallelism.sharing;
    inference.data_parallel = parallelism.replicas;
    if (inference.micro_batches && *inference.micro_batches != parallelism.micro_batches) {
      inference.tokens = *inference.rows * parallelism.micro_batches;
      inference.micro_batches = parallelism.micro_batches;
    }
    inference.pipeline_transfers = parallelism.transfers;
  }
  return inference;
}

}  // namespace mfushim::passes
