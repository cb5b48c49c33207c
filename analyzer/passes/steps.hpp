// Training steps: as the program marked them, else inferred from what it did over and over.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/run.hpp"
#include "passes/intervals.hpp"

namespace mfushim::passes {

enum class StepMethod : std::uint8_t {
  kProfilerMarks,
  kOptimizerKernels,  // each update of the weights ends a step
  kGraphLaunches,
  kPeriod,  // of any other work
};

enum class StepUse : std::uint8_t { kCounted, kWarmup, kOutlier };

struct Step {
  std::int64_t start_ns = 0;  // since the first
  std::int64_t duration_ns = 0;
  StepUse use = StepUse::kCounted;
};

struct StepResult {
  StepMethod method = StepMethod::kPeriod;
  std::int64_t origin_ns = 0;  // the first start on the host's clock
  std::size_t reference = 0;   // of Run::processes: whose steps are listed
  std::vector<Step> list;
  std::size_t first_index = 0;  // of the list in the whole run
  double confidence = 1;
  double likeness = 1;               // median of the counted steps' to the typical one
  std::uint64_t period_kernels = 0;  // launch calls of the median counted step
  bool device_times = false;         // of starts and durations; else the host's
  std::size_t processes = 0;         // that have steps at all
  std::size_t agreeing = 0;          // of them, on the number of steps
  // Host times of the calls of each step, as Run::processes; empty for those that do not agree.
  std::vector<std::vector<Interval>> spans;

  std::size_t count(StepUse use) const;
  // Of the reference's steps that are like others: all but outliers.
  std::vector<Interval> training_spans() const;
};

// Absent when nothing marks steps and nothing repeats.
std::optional<StepResult> find_steps(const model::Run& run);

}  // namespace mfushim::passes
