// Why an MFU may be impossible: the mistakes that are usual in its inputs, each tried on the
// number.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mfushim/format/enums.hpp"

#include "knowledge/gpus.hpp"

namespace mfushim::knowledge {

// What an MFU was computed from.
struct Claim {
  double mfu = 0;
  bool inference = false;
  double gpus = 1;
  double seq = 0;
  bool rate_given = false;           // tokens per second of a GPU; else of a step
  std::optional<double> peak_given;  // dense FLOP/s, by the user
  GpuMatch gpu;                      // no candidates: not known
  format::DType dtype = format::DType::kUnknown;
  std::optional<double> params;  // as given
};

struct Cause {
  std::string name;  // gpus, peak, sparse_peak, peak_unit, dtype, params_unit, tokens_per_step,
                     // forward_only
  std::string text;  // what would be the case
  double value = 0;  // the MFU if so; of find_mismatches the model's work over the executed
  bool explains = false;     // whether that is usual
  bool of_observed = false;  // `value` is no MFU
};

// What well-run training reaches; the highest that was ever published is 0.68, with the peak of
// another type suspected.
inline constexpr double kUsualLow = 0.2;
inline constexpr double kUsualHigh = 0.7;

// Whether the number needs an explanation: more than the device can do or than anyone published;
// or less than a training run has that works at all.
bool is_doubtful(double mfu, bool inference);

// A model's work that is far from what was seen to be executed. Recomputation and flash attention
// execute up to a half more than the model needs; nothing can execute less.
struct MismatchClaim {
  double ratio = 1;  // the model's work over the executed
  double gpus = 1;
  bool params_given = false;
};

// Of the device's time: kernels whose work is not known. Above this, a comparison says nothing.
inline constexpr double kMostUnseen = 0.05;

bool is_mismatch(double ratio);

// With the ratio that would result.
std::vector<Cause> find_mismatches(const MismatchClaim& claim);

// In the order of likelihood; those that do not apply to the inputs are left out.
std::vector<Cause> find_causes(const Claim& claim);

// Of these, what concerns the peak alone.
std::vector<Cause> find_peak_causes(const Claim& claim);

}  // namespace mfushim::knowledge
