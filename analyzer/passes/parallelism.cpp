// A sum over ranks of what a product has just made, before there is any gradient, has one reason:
// the product's inner dimension is divided among these ranks. Replicas sum gradients only, whether
// of whole weights or, with weights gathered for each use, of parts; pipelines send and receive.
#include "passes/parallelism.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "passes/collective_calls.hpp"

namespace mfushim::passes {

namespace {

using format::CollectiveOp;
using format::CollectiveShape;
using model::CallKind;
using model::HostCall;

// Where all gradients are reduced, as many elements as weights have: products that share a weight
// make fewer, an output that is an embedding elsewhere makes some without being divided.
constexpr double kLeastOfGradients = 0.5;
// A reduction of less is of norms, losses and the like. Experts are replicated less often than the
// rest, which is a small part of all weights.
constexpr double kLeastOfCommunicator = 0.05;
// Padding of parts that are reduced among the replicas of replicas.
constexpr double kPadding = 0.1;

bool sums(CollectiveOp op) {
  return op == CollectiveOp::kAllReduce || op == CollectiveOp::kReduceScatter;
}

class ParallelismFinder {
 public:
  ParallelismFinder(const model::Process& process, const std::vector<StepWork>& steps,
                    const ModelSizes& sizes)
      : process_(process), steps_(steps), sizes_(sizes) {
    for (const ActivationSize& size : sizes.activations) by_elements_[size.elements()] = size;
  }

  Parallelism find() {
    gather();
    result_.sharing = find_sharing();
    result_.transfers = find_transfers();
    // A stage works on several micro-batches at once, and its products show no order: each comes
    // from a neighbour or goes to one.
    result_.micro_batches = sizes_.micro_batches == 1
                                ? std::max<std::uint64_t>(result_.transfers, 1)
                                : sizes_.micro_batches;
    result_.replicas = find_replicas();
    return std::move(result_);
  }

 private:
  struct Seen {
    const HostCall* call;
    std::size_t step;
  };

  const CollectiveShape& shape(const Seen& seen) const {
    return process_.collectives[seen.call->subject];
  }
  std::uint64_t ranks(std::uint32_t communicator) const {
    return static_cast<std::uint64_t>(std::max(process_.communicators[communicator].size, 1));
  }
  // Of all ranks together; NCCL counts these two by rank.
  std::uint64_t elements(const CollectiveShape& s) const {
    const bool by_rank = s.op == CollectiveOp::kReduceScatter || s.op == CollectiveOp::kAllGather;
    return by_rank ? s.count * ranks(s.communicator) : s.count;
  }

  void gather() {
    for (const HostCall& call : process_.calls) {
      if (call.kind != CallKind::kCollective || call.result != 0 || call.graph != 0) continue;
      const auto after = std::upper_bound(
          steps_.begin(), steps_.end(), call.start,
          [](std::int64_t time, const StepWork& work) { return time < work.step.start; });
      if (after == steps_.begin() || call.start >= std::prev(after)->step.end) continue;
      seen_.push_back({&call, static_cast<std::size_t>(after - steps_.begin()) - 1});
    }
  }

  // The forward product whose result this is the sum of; null for any other collective.
  const format::GemmShape* summed_product(const Seen& seen) const {
    const StepWork& work = steps_[seen.step];
    if (!sums(shape(seen).op) || seen.call->start >= work.forward_end) return nullptr;
    const auto after = std::upper_bound(work.forward.begin(), work.forward.end(), seen.call->start,
                                        [&](std::int64_t time, std::uint32_t product) {
                                          return time < process_.calls[product].start;
                                        });
    if (after == work.forward.begin()) return nullptr;
    const format::GemmShape& product = process_.shapes[process_.calls[*std::prev(after)].subject];
    const bool fits = product.batch == 1 && product.m * product.n == elements(shape(seen)) &&
                      by_elements_.contains(product.m * product.n);
    return fits ? &product : nullptr;
  }

  WeightSharing find_sharing() {
    std::map<std::pair<std::uint32_t, std::uint64_t>, WeightSharing> found;
    for (const Seen& seen : seen_) {
      const std::uint32_t communicator = shape(seen).communicator;
      const format::GemmShape* const product = summed_product(seen);
      if (product == nullptr || ranks(communicator) < 2) continue;
      WeightSharing& sharing = found[{communicator, product->m * product->n}];
      ++sharing.forward_sums;
      sharing.divided_by.insert(product->k);
    }
    const auto most = std::max_element(
        found.begin(), found.end(),
        [](const auto& a, const auto& b) { return a.second.forward_sums < b.second.forward_sums; });
    if (most == found.end() || most->second.forward_sums < steps_.size()) return {};
    WeightSharing sharing = most->second;
    const auto [communicator, size] = most->first;
    sharing_ = communicator;
    sharing.ranks = ranks(communicator);
    sharing.communicator = label_of(process_.communicators[communicator]);
    sharing.activation = by_elements_.at(size);
    for (const Seen& seen : seen_) {
      const CollectiveShape& s = shape(seen);
      if (s.communicator != communicator || elements(s) != size) continue;
      sharing.sums += sums(s.op);
      sharing.gathers += s.op == CollectiveOp::kAllGather;
    }
    return sharing;
  }

  std::uint64_t find_transfers() const {
    std::map<std::tuple<std::uint32_t, std::int32_t, CollectiveOp>, std::uint64_t> found;
    for (const Seen& seen : seen_) {
      const CollectiveShape& s = shape(seen);
      if (s.op != CollectiveOp::kSend && s.op != CollectiveOp::kRecv) continue;
      // Ranks that share weights may each send their part of the rows.
      if (by_elements_.contains(s.count) || by_elements_.contains(s.count * result_.sharing.ranks))
        ++found[{s.communicator, s.peer, s.op}];
    }
    std::uint64_t most = 0;
    for (const auto& [peer, count] : found) most = std::max(most, count);
    most /= steps_.size();
    // Each weight is used for each transfer; not so where ranks that divide sequences pass keys on.
    return most > 0 && sizes_.uses > 0 && sizes_.uses % most == 0 ? most : 0;
  }

  // Elements of a step that each communicator reduces; activations are no gradients.
  struct Reduced {
    double all = 0;
    double parts = 0;  // what reduce-scatters leave to one rank
  };

  std::map<std::uint32_t, Reduced> reduced() const {
    std::map<std::uint32_t, Reduced> found;
    for (const Seen& seen : seen_) {
      const CollectiveShape& s = shape(seen);
      if (s.communicator == sharing_) continue;
      if (!sums(s.op) && s.op != CollectiveOp::kReduce) continue;
      const auto steps = static_cast<double>(steps_.size());
      found[s.communicator].all += static_cast<double>(elements(s)) / steps;
      if (s.op == CollectiveOp::kReduceScatter)
        found[s.communicator].parts += static_cast<double>(s.count) / steps;
    }
    return found;
  }

  std::uint64_t find_replicas() const {
    const std::map<std::uint32_t, Reduced> communicators = reduced();
    const double gradients = sizes_.gradients / static_cast<double>(result_.micro_batches);
    double all = 0;
    for (const auto& [communicator, amount] : communicators) all += amount.all;
    if (all < kLeastOfGradients * gradients) return 1;
    std::uint64_t most = 1;
    for (const auto& [communicator, amount] : communicators)
      if (amount.all >= kLeastOfCommunicator * gradients)
        most = std::max(most, ranks(communicator) * copies_of_parts(communicator, communicators));
    return most;
  }

  // Weights in parts among some ranks, whose gradients are then averaged with others that hold the
  // same part.
  std::uint64_t copies_of_parts(std::uint32_t scattering,
                                const std::map<std::uint32_t, Reduced>& communicators) const {
    const double parts = communicators.at(scattering).parts;
    for (const auto& [communicator, amount] : communicators)
      if (parts > 0 && communicator != scattering && amount.parts == 0 &&
          std::abs(amount.all - parts) <= kPadding * parts)
        return ranks(communicator);
    return 1;
  }

  const model::Process& process_;
  const std::vector<StepWork>& steps_;
  const ModelSizes& sizes_;
  std::map<std::uint64_t, ActivationSize> by_elements_;
  std::vector<Seen> seen_;
  std::uint32_t sharing_ = model::kNone;  // the communicator of those who share weights
  Parallelism result_;
};

}  // namespace

Parallelism find_parallelism(const model::Process& process, const std::vector<StepWork>& steps,
                             const ModelSizes& sizes) {
  return ParallelismFinder(process, steps, sizes).find();
}

}  // namespace mfushim::passes
