// The products' rows are tokens, whether these are of use or not.
#include "passes/padding.hpp"

namespace mfushim::passes {

std::optional<double> Padding::share() const {
  if (!computed || *computed < useful) return std::nullopt;
  return 1 - useful / *computed;
}

std::optional<Padding> find_padding(const model::Run& run, const ModelFacts& facts,
                                    const std::optional<StepTimes>& steps,
                                    const std::optional<Inference>& inference) {
  if (!facts.tokens_per_step) return std::nullopt;
  Padding result;
  result.useful = *facts.tokens_per_step;
  result.gpus = count_gpus(run);
  if (steps) result.per_s = result.useful / steps->mean_s;
  if (inference && inference->tokens_per_step())
    result.computed = static_cast<double>(*inference->tokens_per_step());
  return result;
}

}  // namespace mfushim::passes
