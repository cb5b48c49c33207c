// All terms are integers (peak in FLOP/s times time in ns), so that factors are fractions of which
// each denominator cancels with another's numerator.
#include "passes/waterfall.hpp"

#include <cmath>
#include <map>
#include <utility>

#include "passes/modelled_kernels.hpp"

namespace mfushim::passes {

namespace {

using Amount =
    unsigned __int128;  // 1e-9 FLOP: peak x ns; 1e6 GPUs of 1e16 FLOP/s fill it in a year
constexpr Amount kPerFlop = 1'000'000'000;

struct Terms {
  Amount total = 0;    // what the GPUs could have done in all of the time
  Amount busy = 0;     // while they did anything
  Amount compute = 0;  // while they did compute
  Amount matmul = 0;   // while they multiplied matrices
  Amount typed = 0;    // likewise, at the peaks of the types used
  Amount executed = 0;
  Amount needed = 0;
};

double ratio_of(Amount part, Amount whole) {
  return static_cast<double>(static_cast<long double>(part) / static_cast<long double>(whole));
}

// The type of a product whose FLOPs are known.
std::optional<format::DType> type_of(const model::Process& process, const model::DeviceWork& work,
                                     ModelledKernels& modelled) {
  if (work.kind != model::WorkKind::kKernel) return std::nullopt;
  if (work.owner == model::kNone) {
    if (!modelled.find(work)) return std::nullopt;
    return dtype_of(process.kernel_names[process.configs[work.config].kernel].facts);
  }
  const model::HostCall& call = process.calls[work.owner];
  if (call.kind == model::CallKind::kGemm && has_known_shape(process, call))
    return effective_dtype(process.shapes[call.subject]);
  if (call.kind == model::CallKind::kOperation && is_exact(process.operations[call.subject]) &&
      flops_of(process.operations[call.subject]) > 0)
    return process.operations[call.subject].dtype;
  return std::nullopt;
}

Amount integer_peak(double flops_per_s) {
  return static_cast<Amount>(std::llround(flops_per_s));
}

void add_rank(const model::Rank& rank, const Activity& activity, const Efficiency& efficiency,
              Terms& terms) {
  const bool by_sheet = efficiency.peak_source == PeakSource::kDatasheet;
  const double reference = by_sheet
                               ? datasheet_peak(rank, efficiency.dtype).value_or(*efficiency.peak)
                               : *efficiency.peak;
  const Amount peak = integer_peak(reference);
  terms.total += peak * static_cast<Amount>(activity.spans.length());
  terms.busy += peak * static_cast<Amount>(activity.all.length());
  terms.compute += peak * static_cast<Amount>(activity.compute.length());
  std::map<format::DType, Union> by_type;
  ModelledKernels modelled(*rank.process);
  for (const model::DeviceWork& work : *rank.work)
    if (const auto dtype = type_of(*rank.process, work, modelled); dtype && !work.sampled)
      by_type[*dtype].add({work.start, work.end});
  Union before;  // time that two types share counts for the first
  for (const auto& [dtype, busy] : by_type) {
    const auto alone = static_cast<Amount>(busy.length() - common_length(busy, before));
    before = unite(before, busy);
    terms.matmul += peak * alone;
    // A given or measured peak is that of one type.
    const auto own = by_sheet ? datasheet_peak(rank, dtype) : std::nullopt;
    terms.typed += integer_peak(own.value_or(reference)) * alone;
  }
}

// What the whole would gain without `part` of its time.
double gain_without(double mfu, double part) {
  return part < 1 ? mfu / (1 - part) - mfu : 0;
}

class FactorList {
 public:
  explicit FactorList(double mfu) : mfu_(mfu) {}

  // `time`: the share of all time in which the cause is.
  void add(const char* name, double factor, double time) {
    const double before = left_;
    left_ *= factor;
    result_.rows.push_back(
        {name, factor, left_, 100 * (before - left_), gain_without(mfu_, time * (1 - factor))});
  }

  Waterfall take() { return std::move(result_); }

 private:
  double mfu_;
  double left_ = 1;
  Waterfall result_;
};

}  // namespace

std::optional<Waterfall> find_waterfall(const model::Run& run,
                                        const std::vector<std::optional<Activity>>& activities,
                                        const CountedWork& work, const Efficiency& efficiency,
                                        const std::optional<ModelMfu>& model) {
  if (!efficiency.peak || !efficiency.value) return std::nullopt;
  Terms terms;
  for (std::size_t i = 0; i < run.ranks.size(); ++i)
    if (activities[i]) add_rank(run.ranks[i], *activities[i], efficiency, terms);
  terms.executed = work.executed * kPerFlop;
  terms.needed = work.needed() * kPerFlop;
  if (terms.matmul == 0 || terms.executed == 0 || terms.needed == 0) return std::nullopt;

  const bool has_model = model && model->value;
  const double matmul = ratio_of(terms.matmul, terms.total);  // of the time
  FactorList list(has_model ? *model->value : ratio_of(terms.needed, terms.total));
  list.add("idle", ratio_of(terms.busy, terms.total), 1);
  list.add("exposed communication and copies", ratio_of(terms.compute, terms.busy),
           ratio_of(terms.busy, terms.total));
  list.add("other kernels", ratio_of(terms.matmul, terms.compute),
           ratio_of(terms.compute, terms.total));
  list.add("kernel efficiency", ratio_of(terms.executed, terms.typed), matmul);
  list.add("slower type", ratio_of(terms.typed, terms.matmul), matmul);
  double needed = ratio_of(terms.needed, terms.executed);
  if (has_model) {
    const double executed = ratio_of(terms.executed, terms.total);
    const double in_steps = model->hfu.value_or(executed);
    // The model's work is that of the counted steps, what is above that of all of the time.
    if (model->hfu) list.add("counted steps", in_steps / executed, 0);
    needed = *model->value / in_steps;
  }
  list.add("recompute and padding", needed, matmul);
  return list.take();
}

}  // namespace mfushim::passes
