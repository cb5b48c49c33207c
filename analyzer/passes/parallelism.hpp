// How a job's processes divide the work, as the collectives of one of them show it: who shares
// weights, who holds copies of them.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/run.hpp"
#include "passes/intervals.hpp"

namespace mfushim::passes {

// Products with activations that a process did in one step.
struct StepWork {
  Interval step;                       // host time of its calls
  std::vector<std::uint32_t> forward;  // calls of the products before the first gradient, in order
  std::int64_t forward_end = 0;        // start of the product after these
};

// Tokens that products take at once, and the width of what they make or take: an activation of so
// many elements.
struct ActivationSize {
  std::uint64_t rows = 0;
  std::uint64_t width = 0;
  std::uint64_t elements() const { return rows * width; }
  auto operator<=>(const ActivationSize&) const = default;
};

// Ranks that share each weight (tensor parallelism): all numbers are sums over the steps.
struct WeightSharing {
  std::uint64_t ranks = 1;
  std::string communicator;            // as the table of collectives has it
  ActivationSize activation;           // what is summed over the ranks
  std::uint64_t forward_sums = 0;      // of a product's result, before any gradient
  std::uint64_t sums = 0;              // of such activations, in all
  std::uint64_t gathers = 0;           // likewise: ranks that divide the rows in between
  std::set<std::uint64_t> divided_by;  // a rank's part of the dimensions summed over before these
};

struct Parallelism {
  WeightSharing sharing;
  std::uint64_t replicas = 1;   // whose gradients are averaged
  std::uint64_t transfers = 0;  // of activations, in a step, to the rank that gets most, or from it
  std::uint64_t micro_batches = 1;
};

struct ModelSizes {
  std::set<ActivationSize> activations;
  double gradients = 0;             // elements of a step's, as each micro-batch makes them
  std::uint64_t micro_batches = 1;  // by the order of the products
  std::uint64_t uses = 0;           // in a step, of any weight, divisible by this
};

// `steps` in order and apart; not empty.
Parallelism find_parallelism(const model::Process& process, const std::vector<StepWork>& steps,
                             const ModelSizes& sizes);

}  // namespace mfushim::passes
