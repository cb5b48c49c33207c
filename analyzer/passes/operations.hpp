// The operations of network libraries (cuDNN) by shape, with their FLOPs and the device time of the
// calls that did them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/run.hpp"
#include "passes/flops.hpp"

namespace mfushim::passes {

struct OperationRow {
  format::OperationShape shape;  // its id means nothing here
  std::string api;
  std::uint64_t calls = 0;
  Flops flops = 0;            // of all of them; where they are not exact at most so many
  std::int64_t total_ns = 0;  // device time, of the first operation of a call that does several
};

struct OperationResult {
  std::vector<OperationRow> rows;  // most FLOPs first
  Flops flops = 0;                 // of those that are exact, as all below
  Flops needed = 0;                // of these, by the model, if nothing is done again
  Flops attention = 0;             // of `needed`
  std::vector<Flops> by_rank;      // as Run::ranks; see ProductResult
  std::uint64_t inexact = 0;       // calls whose sizes are unknown or a bound
};

OperationResult find_operations(const model::Run& run);

}  // namespace mfushim::passes
