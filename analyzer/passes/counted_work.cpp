// Shares that were found in some steps are taken of the whole; sums stay integers.
#include "passes/counted_work.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace mfushim::passes {

namespace {

Flops whole(double flops) {
  return static_cast<Flops>(std::max(0.0, std::round(flops)));
}

double share_left(double again, double all) {
  return all > 0 ? 1 - again / all : 1;
}

// `value` less the part that `again` is of `all`.
Flops without(Flops value, Flops again, Flops all) {
  if (again == 0 || all == 0) return value;
  if (value == all) return value - again;
  return whole(static_cast<double>(value) *
               share_left(static_cast<double>(again), static_cast<double>(all)));
}

format::DType type_of_most(const ProductResult& products, const OperationResult& operations,
                           const KernelResult& kernels) {
  std::map<format::DType, Flops> by_type;
  for (const ProductRow& row : products.rows) by_type[row.dtype] += row.flops;
  for (const OperationRow& row : operations.rows)
    if (is_exact(row.shape)) by_type[row.shape.dtype] += row.flops;
  for (const auto& [dtype, flops] : kernels.modelled_by_type)
    if (dtype != format::DType::kUnknown) by_type[dtype] += whole(flops);
  const auto most = std::max_element(by_type.begin(), by_type.end(),
                                     [](auto& a, auto& b) { return a.second < b.second; });
  return most == by_type.end() || most->second == 0 ? format::DType::kUnknown : most->first;
}

// What the model needs of recorded work.
struct Needed {
  Flops noncausal = 0;
  Flops causal = 0;
};

Needed needed_of_exact(const ProductResult& products, const OperationResult& operations,
                       const std::optional<Inference>& inference, const Repeats& repeats) {
  Needed result{products.flops, products.flops};
  if (inference)
    result = {inference->needed(products.flops), inference->needed_causal(products.flops)};
  const Flops needed = without(operations.needed, repeats.operations_again, repeats.operations);
  result.noncausal += needed;
  // Masks of recorded operations are not known.
  result.causal +=
      needed - without(operations.attention, repeats.attention_again, repeats.attention) / 2;
  return result;
}

}  // namespace

double CountedWork::modelled_share() const {
  return all() == 0 ? 0 : static_cast<double>(modelled) / static_cast<double>(all());
}

CountedWork count_work(const ProductResult& products, const OperationResult& operations,
                       const KernelResult& kernels, const std::optional<Inference>& inference,
                       const Repeats& repeats) {
  const ModelledWork& modelled = kernels.modelled;
  const Needed exact = needed_of_exact(products, operations, inference, repeats);
  const double noncausal =
      modelled.needed * share_left(repeats.kernels_again.needed, repeats.kernels.needed);
  const double causal = modelled.needed_causal * share_left(repeats.kernels_again.needed_causal,
                                                            repeats.kernels.needed_causal);
  CountedWork work;
  work.products = products.flops;
  work.exact = products.flops + operations.flops;
  work.modelled = whole(modelled.executed());
  work.executed = products.executed + operations.flops + work.modelled;
  work.noncausal = exact.noncausal + whole(noncausal);
  work.causal = exact.causal + whole(causal);
  work.is_masked = modelled.masked > 0;
  const double least = modelled.flops > 0 ? modelled.low / modelled.flops : 1;
  const double most = modelled.flops > 0 ? modelled.high / modelled.flops : 1;
  work.modelled_low = modelled.executed() * least;
  work.modelled_high = modelled.executed() * most;
  work.low = exact.causal + whole(causal * least);
  work.high = exact.noncausal + whole((work.is_masked ? causal : noncausal) * most);
  work.dtype = type_of_most(products, operations, kernels);
  work.unknown_ns = kernels.unknown_product_ns;
  if (kernels.compute_ns > 0)
    work.unknown_share =
        static_cast<double>(work.unknown_ns) / static_cast<double>(kernels.compute_ns);
  work.is_inferred = (inference && inference->has_backward) || repeats.any();
  return work;
}

}  // namespace mfushim::passes
