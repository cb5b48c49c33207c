// What a program's matrix products say about its model: which are forward, which backward, which
// are done again, and how many tokens a step has. Nobody needs to tell.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/run.hpp"
#include "passes/parallelism.hpp"
#include "passes/products.hpp"
#include "passes/steps.hpp"

namespace mfushim::passes {

// Products that have the same three dimensions, in whatever roles: forward, gradient of the input
// and gradient of the weight of one weight, or of several of one size.
struct ProductFamily {
  std::array<std::uint64_t, 3> dimensions{};  // ascending
  std::uint64_t batch = 1;
  std::uint64_t rows =
      0;  // tokens: the dimension that is no weight's; 0 where both are activations
  std::uint64_t products = 0;  // in the steps looked at, as all below
  std::uint64_t forward = 0;
  std::uint64_t gradients = 0;  // of weights, where the products themselves tell
  std::uint64_t recomputed = 0;
  Flops flops = 0;  // of one product
};

struct Inference {
  std::size_t steps = 0;                // looked at; 0: the whole log, whose steps are not known
  std::vector<ProductFamily> families;  // most FLOPs first
  Flops executed = 0;
  Flops recomputed = 0;
  Flops activations = 0;  // of products of activations alone, without what is recomputed: attention
  bool has_backward = false;

  // Of one process.
  std::optional<std::uint64_t> rows;           // tokens of one micro-batch
  std::optional<std::uint64_t> micro_batches;  // to a step
  std::uint64_t tokens = 0;                    // of a step, in the mean
  std::optional<std::uint64_t> tokens_per_step() const;

  std::optional<WeightSharing> sharing;  // absent: not known
  std::optional<std::uint64_t> data_parallel;
  std::uint64_t pipeline_transfers = 0;  // of activations to or from one rank, in a step

  double recompute_share() const;
  // Of a count of executed FLOPs, those that the model needs; the second with causal attention.
  Flops needed(Flops executed_flops) const;
  Flops needed_causal(Flops executed_flops) const;
};

// Absent when no product of known sizes was recorded. Looks at the counted steps of one process.
std::optional<Inference> find_inference(const model::Run& run,
                                        const std::optional<StepResult>& steps);

}  // namespace mfushim::passes
