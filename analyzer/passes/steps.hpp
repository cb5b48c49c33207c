// Training steps, where the program itself marked them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/run.hpp"

namespace mfushim::passes {

struct Step {
  std::int64_t start_ns = 0;  // since the first
  std::int64_t duration_ns = 0;
};

// The steps of the first rank that has any; absent when nothing marks them.
std::optional<std::vector<Step>> find_marked_steps(const model::Run& run);

}  // namespace mfushim::passes
