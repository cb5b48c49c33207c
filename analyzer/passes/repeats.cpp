// Forward and backward of one shape: a convolution has one gradient of its filter, attention one
// backward pass. What has none at all is not trained, and nothing can be said of it.
#include "passes/repeats.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "passes/modelled_kernels.hpp"

namespace mfushim::passes {

namespace {

using format::OperationKind;
using model::CallKind;
using model::HostCall;

// How often one shape was computed forward and backward.
struct Passes {
  std::uint64_t forward = 0;
  std::uint64_t backward = 0;

  std::uint64_t again() const {
    return backward > 0 && forward > backward ? forward - backward : 0;
  }
};

struct OperationPasses : Passes {
  Flops flops = 0;  // of one forward
  bool is_attention = false;
};

struct KernelPasses : Passes {
  ModelledWork work;  // of all forward
};

// Sizes mean the same in all directions of an operation. A graph of attention's products may not
// tell heads from batch.
auto operation_sizes(const format::OperationShape& s) {
  const bool attends = is_attention(s);
  return std::tuple(attends, attends ? s.batch * s.groups : s.batch, attends ? 1 : s.groups, s.m,
                    s.n, s.k, s.l, s.window, s.dtype);
}

// Of attention: FlashAttention's grid is blocks by batch by heads in both directions.
auto attention_sizes(const knowledge::KernelFacts& facts, const format::LaunchConfig& config) {
  return std::tuple(config.grid_y, config.grid_z, facts.head_dim, facts.causal, facts.dtype);
}

class RepeatFinder {
 public:
  explicit RepeatFinder(const model::Process& process) : process_(process), modelled_(process) {}

  void add(const HostCall& call) {
    if (call.result != 0 || call.graph != 0) return;
    if (call.kind == CallKind::kOperation) add_operation(process_.operations[call.subject]);
    if (call.kind == CallKind::kLaunch && !is_announced(call)) add_launch(call.subject);
  }

  Repeats find() {
    for (const auto& [sizes, passes] : operations_) {
      const Flops again = passes.flops * passes.again();
      result_.operations_again += again;
      if (passes.is_attention) result_.attention_again += again;
    }
    for (const auto& [sizes, passes] : kernels_)
      if (const std::uint64_t again = passes.again(); again > 0)
        result_.kernels_again += part_of(passes.work, again, passes.forward);
    return result_;
  }

 private:
  // By a recorded call around, whose sizes tell the work.
  bool is_announced(const HostCall& launch) const {
    for (std::uint32_t at = launch.parent; at != model::kNone; at = process_.calls[at].parent) {
      const CallKind kind = process_.calls[at].kind;
      if (kind == CallKind::kGemm || kind == CallKind::kOperation) return true;
    }
    return false;
  }

  void add_operation(const format::OperationShape& shape) {
    if (!is_exact(shape)) return;
    result_.operations += needed_flops_of(shape);
    if (is_attention(shape)) result_.attention += needed_flops_of(shape);
    OperationPasses& passes = operations_[operation_sizes(shape)];
    switch (shape.operation) {
      case OperationKind::kConvForward:
      case OperationKind::kAttentionForward:
        ++passes.forward;
        passes.flops = flops_of(shape);
        passes.is_attention = is_attention(shape);
        break;
      case OperationKind::kConvFilter:
      case OperationKind::kAttentionBackward:
        ++passes.backward;
        break;
      default:
        break;
    }
  }

  void add_launch(std::uint32_t id) {
    const ModelledWork* const work = modelled_.find(id);
    if (!work) return;
    result_.kernels += *work;
    const format::LaunchConfig& config = process_.configs[id];
    const knowledge::KernelFacts& facts = process_.kernel_names[config.kernel].facts;
    if (facts.head_dim == 0) return;
    KernelPasses& passes = kernels_[attention_sizes(facts, config)];
    ++(facts.backward ? passes.backward : passes.forward);
    if (!facts.backward) passes.work += *work;
  }

  static ModelledWork part_of(const ModelledWork& work, std::uint64_t part, std::uint64_t whole) {
    const double share = static_cast<double>(part) / static_cast<double>(whole);
    ModelledWork result;
    result.flops = work.flops * share;
    result.needed = work.needed * share;
    result.needed_causal = work.needed_causal * share;
    result.calls = part;
    return result;
  }

  const model::Process& process_;
  ModelledKernels modelled_;
  std::map<decltype(operation_sizes({})), OperationPasses> operations_;
  std::map<decltype(attention_sizes({}, {})), KernelPasses> kernels_;
  Repeats result_;
};

// `spans` are in order and apart.
bool is_inside(const std::vector<Interval>& spans, std::int64_t time) {
  const auto after =
      std::upper_bound(spans.begin(), spans.end(), time,
                       [](std::int64_t value, const Interval& span) { return value < span.start; });
  return after != spans.begin() && time < std::prev(after)->end;
}

}  // namespace

Repeats find_repeats(const model::Run& run, const std::optional<StepResult>& steps) {
  if (run.processes.empty()) return {};
  const std::size_t reference = steps ? steps->reference : 0;
  const model::Process& process = *run.processes[reference];
  const std::vector<Interval> spans = steps ? steps->training_spans() : std::vector<Interval>{};
  RepeatFinder finder(process);
  for (const HostCall& call : process.calls)
    if (!steps || is_inside(spans, call.start)) finder.add(call);
  return finder.find();
}

}  // namespace mfushim::passes
