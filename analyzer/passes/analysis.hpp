// Everything that is said about a run, from one call: what reports print.
#pragma once

#include <optional>
#include <vector>

#include "model/run.hpp"
#include "passes/collectives.hpp"
#include "passes/coverage.hpp"
#include "passes/device_clocks.hpp"
#include "passes/efficiency.hpp"
#include "passes/inference.hpp"
#include "passes/kernels.hpp"
#include "passes/launches.hpp"
#include "passes/ledger.hpp"
#include "passes/model_mfu.hpp"
#include "passes/operations.hpp"
#include "passes/padding.hpp"
#include "passes/products.hpp"
#include "passes/roofline.hpp"
#include "passes/step_mfu.hpp"
#include "passes/steps.hpp"
#include "passes/view.hpp"
#include "passes/waterfall.hpp"
#include "passes/window_cost.hpp"
#include "passes/windows.hpp"

namespace mfushim::passes {

struct AnalysisOptions {
  View view = View::kExact;
  EfficiencyOptions efficiency;
  ModelFacts model;
  // Those that the run has been narrowed to; else they are looked for.
  std::optional<StepResult> steps;
};

struct Analysis {
  const model::Run* run = nullptr;
  View view = View::kExact;
  std::vector<std::optional<Ledger>> ledgers;      // as Run::ranks; empty without device times
  Ledger sum;                                      // of all of them
  std::vector<std::optional<DeviceClock>> clocks;  // as Run::ranks
  WindowResult windows;
  std::optional<WindowCost> window_cost;
  LaunchResult launches;
  CollectiveResult collectives;
  ProductResult products;
  OperationResult operations;
  KernelResult kernels;
  Repeats repeats;
  CountedWork work;
  std::vector<ClassRoofline> rooflines;
  Efficiency efficiency;
  std::optional<ModelMfu> model_mfu;
  std::optional<Padding> padding;
  CoverageResult coverage;
  std::optional<StepResult> steps;
  std::vector<double> step_mfu;  // as steps->list; empty: not known
  std::optional<Inference> inference;
  std::optional<Waterfall> waterfall;

  std::optional<double> mean_step_s() const;  // of the counted steps
  bool has_device_times() const;
  // Launches made while device times were taken that have no GPU record, beyond what the records
  // that were dropped or left out explain.
  std::uint64_t unaccounted_launches() const;
};

// The result refers to `run`.
Analysis analyze(const model::Run& run, const AnalysisOptions& options);

}  // namespace mfushim::passes
