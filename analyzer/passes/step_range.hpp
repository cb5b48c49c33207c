// Reports on some steps of a run alone.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>

#include "passes/steps.hpp"

namespace mfushim::passes {

// Steps [first, last), counted from 0.
struct StepRange {
  static constexpr std::size_t kLast = std::numeric_limits<std::size_t>::max();
  std::size_t first = 0;
  std::size_t last = kLast;
};

// Leaves of the run what belongs to these steps, and returns them; does nothing when there are
// none.
std::optional<StepResult> narrow_to_steps(model::Run& run, const StepRange& range);

}  // namespace mfushim::passes
