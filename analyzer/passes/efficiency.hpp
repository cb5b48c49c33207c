// MFU: what the run computed over what its GPUs could have computed in the same time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "knowledge/doubts.hpp"
#include "knowledge/gpus.hpp"
#include "model/run.hpp"
#include "passes/counted_work.hpp"
#include "passes/device_clocks.hpp"
#include "passes/ledger.hpp"

namespace mfushim::passes {

struct EfficiencyOptions {
  std::optional<double> peak_flops_per_s;  // dense, of every GPU, as the user gives it
  std::vector<knowledge::Peak> measured;   // of every GPU, by type; wins over the data sheet
  bool by_clock = false;                   // the data sheet's at the clock that was
  std::optional<format::DType> dtype;      // of the peak; else the type of most FLOPs
};

enum class PeakSource : std::uint8_t { kDatasheet, kMeasured, kClockAdjusted, kGiven };

// What the GPUs could have done at the clock they ran at while they worked. Of one GPU: means over
// ranks, weighted by their time.
struct ClockAdjusted {
  double flops_per_s = 0;
  double mean_mhz = 0;
  double boost_mhz = 0;  // the clock behind the data sheet's peak
};

struct Efficiency {
  std::optional<double> flops_per_s;  // of one rank, mean over the run's device time
  double mean_time_s = 0;             // of the ranks with device times
  bool is_by_steps = false;           // no device times: the steps' ones on the host
  format::DType dtype = format::DType::kUnknown;
  // Of one GPU: mean over ranks, weighted by their time. The range is wider than one figure where
  // the log leaves open which GPU it is; then there is no peak and no value.
  std::optional<double> peak;
  std::optional<knowledge::GpuMatch::Range> peak_range;
  PeakSource peak_source = PeakSource::kDatasheet;
  // Each where it is known, whichever of them is the peak.
  std::optional<double> datasheet_peak;
  std::optional<double> measured_peak;
  std::optional<ClockAdjusted> clock_adjusted;
  std::string peak_note;  // what was concluded about the GPU
  // Shares of the peak, by the work that the model needs as far as it was observed.
  std::optional<double> value;
  std::optional<double> causal;
  std::optional<double> noncausal;
  std::optional<double> low;             // if what is not known is as little as it can be
  std::optional<double> high;            // as much: kernels of unknown products run at peak
  std::optional<double> hfu;             // likewise a share, by what the device did
  std::vector<knowledge::Cause> causes;  // usual mistakes, where that is more than 1
  std::string absent_because;            // why there is no value
};

// `ledgers` and `clocks` are as Run::ranks. `time_by_steps`, in seconds of all GPUs, stands in for
// device times where there are none.
Efficiency find_efficiency(const model::Run& run, const std::vector<std::optional<Ledger>>& ledgers,
                           const std::vector<std::optional<DeviceClock>>& clocks,
                           const CountedWork& work, double time_by_steps,
                           const EfficiencyOptions& options);

// Which GPU a rank's is, by all that its log tells.
knowledge::GpuMatch find_gpu(const model::Rank& rank);

// The peak of a rank's GPU by the data sheet; absent too where it may be several.
std::optional<double> datasheet_peak(const model::Rank& rank, format::DType dtype);

}  // namespace mfushim::passes
