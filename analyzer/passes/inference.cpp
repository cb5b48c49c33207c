// Reads one process: the others of a job do the same, or another part of the same model.
#include "passes/inference.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "passes/product_roles.hpp"

namespace mfushim::passes {

namespace {

using model::CallKind;
using model::HostCall;

// A process's products of known sizes between two times, in order.
std::vector<const format::GemmShape*> products_between(const model::Process& process,
                                                       const std::vector<std::uint32_t>& order,
                                                       const Interval& span) {
  std::vector<const format::GemmShape*> products;
  for (const std::uint32_t i : order) {
    const HostCall& call = process.calls[i];
    if (call.start < span.start || call.start >= span.end) continue;
    products.insert(products.end(), call.number, &process.shapes[call.subject]);
  }
  return products;
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
      const std::uint64_t recomputed = sum.recomputed + family.recomputed;
      sum = family;
      sum.products = products;
      sum.forward = forward;
      sum.recomputed = recomputed;
    }
    ++votes_[{step.rows, step.micro_batches}];
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
    if (steps > 0 && result_.has_backward) result_.micro_batches = usual->first.second;
    return std::move(result_);
  }

 private:
  std::map<std::tuple<std::array<std::uint64_t, 3>, std::uint64_t, std::uint64_t>, ProductFamily>
      families_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> votes_;  // rows, micro-batches
  Inference result_;
};

Flops scaled(Flops value, Flops part, Flops whole) {
  if (whole == 0) return value;
  const auto share = static_cast<long double>(part) / static_cast<long double>(whole);
  // Exact where the whole log is looked at, which is the usual case of small logs.
  return value == whole ? part : static_cast<Flops>(static_cast<long double>(value) * share);
}

// All-reduces of activations: their size is rows times a weight's dimension.
void find_parallelism(const model::Process& process, const std::vector<Interval>& spans,
                      Inference& inference) {
  if (!inference.rows || spans.empty()) return;
  std::map<std::uint32_t, std::uint64_t> activations, others;  // by communicator
  for (const HostCall& call : process.calls) {
    if (call.kind != CallKind::kCollective || call.result != 0 || call.graph != 0) continue;
    const bool in_steps = std::any_of(spans.begin(), spans.end(), [&](const Interval& span) {
      return call.start >= span.start && call.start < span.end;
    });
    if (!in_steps) continue;
    const format::CollectiveShape& s = process.collectives[call.subject];
    const bool reduces = s.op == format::CollectiveOp::kAllReduce;
    const bool fits =
        reduces && s.count % *inference.rows == 0 &&
        std::any_of(inference.families.begin(), inference.families.end(),
                    [&](const ProductFamily& family) {
                      return family.rows == *inference.rows &&
                             std::count(family.dimensions.begin(), family.dimensions.end(),
                                        s.count / *inference.rows) > 0;
                    });
    if (fits)
      ++activations[s.communicator];
    else if (reduces || s.op == format::CollectiveOp::kReduceScatter)
      others[s.communicator] += s.count;
  }
  const auto size_of = [&](std::uint32_t communicator) {
    return static_cast<std::uint64_t>(std::max(process.communicators[communicator].size, 1));
  };
  inference.tensor_parallel = 1;
  for (const auto& [communicator, calls] : activations) {
    // Forward and backward have at least one each, in each micro-batch.
    if (calls < 2 * spans.size() * inference.micro_batches.value_or(1)) continue;
    inference.tensor_parallel = size_of(communicator);
    inference.activation_collectives = calls / spans.size();
  }
  inference.data_parallel = 1;
  std::uint64_t most = 0;
  for (const auto& [communicator, count] : others)
    if (count > most && !(activations.contains(communicator) && *inference.tensor_parallel > 1)) {
      most = count;
      inference.data_parallel = size_of(communicator);
    }
}

}  // namespace

std::optional<std::uint64_t> Inference::tokens_per_step() const {
  if (!rows || !micro_batches || !data_parallel) return std::nullopt;
  return *rows * *micro_batches * *data_parallel;
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
  InferenceMaker maker;
  std::map<std::vector<const format::GemmShape*>, StepProducts> known;  // most steps are the same
  const std::size_t number = spans.size();
  if (spans.empty())
    spans.push_back({process.calls[order.front()].start, process.calls[order.back()].start + 1});
  for (const Interval& span : spans) {
    auto products = products_between(process, order, span);
    if (products.empty()) continue;
    auto at = known.find(products);
    if (at == known.end()) at = known.emplace(products, find_roles(products)).first;
    maker.add(at->second);
  }
  if (known.empty()) return std::nullopt;
  Inference inference = maker.make(number);
  find_parallelism(process, number > 0 ? spans : std::vector<Interval>{}, inference);
  return inference;
}

}  // namespace mfushim::passes
