// What a program does again of its convolutions and fused attention, as with recomputed
// activations: of each shape more forward than backward.
#pragma once

#include <optional>

#include "model/run.hpp"
#include "passes/flops.hpp"
#include "passes/modelled.hpp"
#include "passes/steps.hpp"

namespace mfushim::passes {

// In the counted and warm-up steps of one process, or in its whole log where steps are not known.
struct Repeats {
  Flops operations = 0;        // what the model needs of exact operations, if nothing is done again
  Flops operations_again = 0;  // of these
  Flops attention = 0;         // of `operations`
  Flops attention_again = 0;
  ModelledWork kernels;  // launched outside of graphs
  ModelledWork kernels_again;

  bool any() const { return operations_again > 0 || kernels_again.calls > 0; }
};

Repeats find_repeats(const model::Run& run, const std::optional<StepResult>& steps);

}  // namespace mfushim::passes
