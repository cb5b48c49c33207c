// MFU from a configuration and a speed alone, as `mfushim calc` prints it.
#pragma once

#include <optional>
#include <string>

#include "knowledge/gpus.hpp"
#include "knowledge/model_flops.hpp"
#include "report/json_values.hpp"

namespace mfushim::report {

struct Calculation {
  knowledge::ModelWork work;
  knowledge::Convention convention = knowledge::Convention::kCausal;
  std::string label;  // the GPU, as the user named it
  knowledge::GpuMatch gpu;
  double gpus = 1;
  format::DType dtype = format::DType::kBf16;
  std::optional<double> peak_given;  // dense FLOP/s
  double tokens_per_s = 0;           // of one GPU
  std::optional<double> step_seconds;
  std::optional<double> tokens_per_step;

  // Of one GPU, dense; absent where only a range or nothing is known.
  std::optional<double> peak() const;
  std::string no_peak_because() const;
  std::optional<double> mfu(knowledge::Convention by) const;
};

Json calculation_json(const Calculation& calculation);
std::string calculation_text(const Calculation& calculation);

}  // namespace mfushim::report
