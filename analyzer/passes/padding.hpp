// Tokens that count beside tokens that were computed: what a step's products do for nothing.
#pragma once

#include <optional>

#include "model/run.hpp"
#include "passes/inference.hpp"
#include "passes/model_mfu.hpp"

namespace mfushim::passes {

// Of the whole job.
struct Padding {
  double useful = 0;               // tokens of a step, as told
  std::optional<double> per_s;     // likewise; absent where steps are not known
  std::optional<double> computed;  // tokens of a step, by its products
  double gpus = 1;

  // Of the computed; absent where more tokens are told than were computed.
  std::optional<double> share() const;
};

// Absent where nobody tells the tokens that count.
std::optional<Padding> find_padding(const model::Run& run, const ModelFacts& facts,
                                    const std::optional<StepTimes>& steps,
                                    const std::optional<Inference>& inference);

}  // namespace mfushim::passes
