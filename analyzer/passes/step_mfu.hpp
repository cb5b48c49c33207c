// MFU of each step by itself.
#pragma once

#include <vector>

#include "model/run.hpp"
#include "passes/counted_work.hpp"
#include "passes/efficiency.hpp"
#include "passes/model_mfu.hpp"
#include "passes/steps.hpp"

namespace mfushim::passes {

// As StepResult::list: the model's work where it is known, else the recorded products and
// operations of the reference process, with what else it does and what it needs of all that in
// proportion to the whole run. Empty where neither is known, or work was captured into graphs.
std::vector<double> find_step_mfu(const model::Run& run, const StepResult& steps,
                                  const CountedWork& work, const Efficiency& efficiency,
                                  const std::optional<ModelMfu>& model);

}  // namespace mfushim::passes
