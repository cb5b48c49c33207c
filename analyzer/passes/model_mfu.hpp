// MFU by the model's own work: what its steps need, whatever the program executed for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "knowledge/doubts.hpp"
#include "knowledge/model_flops.hpp"
#include "model/run.hpp"
#include "passes/efficiency.hpp"

namespace mfushim::passes {

// What is told about the job, on the command line or by the log.
struct ModelFacts {
  knowledge::ModelWork work;
  std::string name;                       // of the model, as told; empty: none was
  std::optional<double> tokens_per_step;  // of the whole job
  bool tokens_are_inferred = false;       // by the products: nobody told them
  std::string problem;                    // why what was told cannot be used

  bool has_model() const { return work.params || work.shape.layers > 0; }
};

struct StepTimes {
  std::uint64_t count = 0;
  double mean_s = 0;
  double error_s = 0;  // standard error of the mean; 0 for one step
};

// GPUs of the job: one per rank of the program's own count, or those that have logs.
double count_gpus(const model::Run& run);

StepTimes step_times(const std::vector<std::int64_t>& durations_ns);

struct ModelMfu {
  std::string name;
  knowledge::Convention convention = knowledge::Convention::kCausal;
  double seq = 0;
  double flops_per_token = 0;
  double tokens_per_step = 0;
  bool tokens_are_inferred = false;
  double flops_per_step = 0;  // of the whole job
  double gpus = 0;            // of the whole job, also where logs are missing
  std::size_t ranks = 0;      // that have logs
  StepTimes steps;
  double tokens_per_s = 0;
  // Shares of the peak; absent as Efficiency::peak is. The range is two standard errors of the
  // steps' mean, and what is not known of the GPU.
  std::optional<double> value;
  std::optional<double> low;
  std::optional<double> high;
  std::optional<double> causal;
  std::optional<double> noncausal;
  std::optional<double> hfu;  // of what one GPU executes in these steps
  // This work over what a GPU was seen to execute, in these steps or, else, in the whole log.
  std::optional<double> of_observed;
  std::vector<knowledge::Cause> causes;  // usual mistakes, where the figure is doubtful
  std::string absent_because;            // why nothing above is set, where a model was told
};

// Absent where no model was told. `executed_per_step`: FLOPs of one GPU, where they are known.
std::optional<ModelMfu> find_model_mfu(const model::Run& run, const CountedWork& work,
                                       const Efficiency& efficiency, const ModelFacts& facts,
                                       const std::optional<StepTimes>& steps,
                                       std::optional<double> executed_per_step);

}  // namespace mfushim::passes
