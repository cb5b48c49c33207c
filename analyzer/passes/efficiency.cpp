// Numerator from recorded products, denominator from the data sheet or as given; no default for
// either.
#include "passes/efficiency.hpp"

#include <fmt/format.h>

#include "knowledge/enum_names.hpp"

namespace mfushim::passes {

namespace {

std::string why_no_peak(const model::Rank& rank, format::DType dtype) {
  const model::DeviceInfo* const device = rank.device_info();
  if (!device || device->name.empty()) return "the log does not name the GPU: give --peak";
  const knowledge::GpuMatch gpu = find_gpu(rank);
  if (!gpu.candidates.empty())
    return fmt::format("the peak of GPU '{}' for {} is not known: give --peak", device->name,
                       knowledge::name_of(dtype));
  return fmt::format("the peak of GPU '{}' is not known{}: give --peak", device->name,
                     gpu.note.empty() ? "" : " (" + gpu.note + ")");
}

// How much a rank's peak counts in the mean: its time, or the same for all without times.
double weight_of(const std::optional<Ledger>& ledger, double time) {
  if (time <= 0) return 1;
  return ledger ? static_cast<double>(ledger->total) / 1e9 : 0;
}

std::optional<knowledge::GpuMatch::Range> mean_datasheet_peak(
    const model::Run& run, const std::vector<std::optional<Ledger>>& ledgers, double time,
    Efficiency& result) {
  knowledge::GpuMatch::Range sum{0, 0};
  double weights = 0;
  for (std::size_t i = 0; i < run.ranks.size(); ++i) {
    const double weight = weight_of(ledgers[i], time);
    if (weight <= 0) continue;
    const knowledge::GpuMatch gpu = find_gpu(run.ranks[i]);
    const auto range = gpu.peak(result.dtype);
    if (!range) {
      result.absent_because = why_no_peak(run.ranks[i], result.dtype);
      return std::nullopt;
    }
    if (result.peak_note.empty()) result.peak_note = gpu.note;
    sum.low += range->low * weight;
    sum.high += range->high * weight;
    weights += weight;
  }
  if (weights <= 0) return std::nullopt;
  return knowledge::GpuMatch::Range{sum.low / weights, sum.high / weights};
}

std::optional<double> measured_peak(const EfficiencyOptions& options, format::DType dtype) {
  for (const knowledge::Peak& peak : options.measured)
    if (peak.dtype == dtype) return peak.flops_per_s;
  return std::nullopt;
}

// Absent where one of the ranks has no samples, or its GPU no known clock behind the peak.
std::optional<ClockAdjusted> adjust_to_clock(const model::Run& run,
                                             const std::vector<std::optional<Ledger>>& ledgers,
                                             const std::vector<std::optional<DeviceClock>>& clocks,
                                             double time, format::DType dtype) {
  ClockAdjusted sum;
  double weights = 0;
  for (std::size_t i = 0; i < run.ranks.size(); ++i) {
    const double weight = weight_of(ledgers[i], time);
    if (weight <= 0) continue;
    const auto peak = datasheet_peak(run.ranks[i], dtype);
    const auto boost = find_gpu(run.ranks[i]).boost_mhz();
    if (!peak || !boost || !clocks[i]) return std::nullopt;
    sum.flops_per_s += weight * *peak * clocks[i]->mean_mhz / *boost;
    sum.mean_mhz += weight * clocks[i]->mean_mhz;
    sum.boost_mhz += weight * *boost;
    weights += weight;
  }
  if (weights <= 0) return std::nullopt;
  return ClockAdjusted{sum.flops_per_s / weights, sum.mean_mhz / weights, sum.boost_mhz / weights};
}

// Another peak than the data sheet's, if the user asked for one.
void choose_peak(const EfficiencyOptions& options, Efficiency& result) {
  result.peak_note.clear();
  result.absent_because.clear();
  if (options.peak_flops_per_s) {
    result.peak_source = PeakSource::kGiven;
    result.peak = options.peak_flops_per_s;
  } else if (options.by_clock) {
    result.peak_source = PeakSource::kClockAdjusted;
    if (result.clock_adjusted)
      result.peak = result.clock_adjusted->flops_per_s;
    else
      result.absent_because = "the log does not tell at which clock the GPUs ran";
  } else {
    result.peak_source = PeakSource::kMeasured;
    result.peak = result.measured_peak;
    if (!result.peak)
      result.absent_because =
          fmt::format("no peak of {} was measured", knowledge::name_of(result.dtype));
  }
}

void find_peak(const model::Run& run, const std::vector<std::optional<Ledger>>& ledgers,
               const std::vector<std::optional<DeviceClock>>& clocks, double time,
               const EfficiencyOptions& options, Efficiency& result) {
  const auto sheet = mean_datasheet_peak(run, ledgers, time, result);
  if (sheet && sheet->low == sheet->high) result.datasheet_peak = sheet->low;
  result.measured_peak = measured_peak(options, result.dtype);
  result.clock_adjusted = adjust_to_clock(run, ledgers, clocks, time, result.dtype);
  if (options.peak_flops_per_s || options.by_clock || !options.measured.empty()) {
    choose_peak(options, result);
  } else {
    result.peak_range = sheet;
    result.peak = result.datasheet_peak;
    if (sheet && !result.peak)
      result.absent_because = fmt::format(
          "the GPU's name leaves open whether its peak is {:.1f} or {:.1f} TFLOP/s: give --peak",
          sheet->low / 1e12, sheet->high / 1e12);
  }
  if (result.peak) result.peak_range = knowledge::GpuMatch::Range{*result.peak, *result.peak};
}

// More than the peak was executed: the peak is wrong, for nothing else is told by the user.
void explain_impossible(const model::Run& run, Efficiency& result) {
  if (result.hfu.value_or(0) <= 1) return;
  knowledge::Claim claim;
  claim.mfu = *result.hfu;
  claim.dtype = result.dtype;
  claim.gpu = find_gpu(run.ranks.front());
  if (result.peak_source != PeakSource::kDatasheet) claim.peak_given = result.peak;
  result.causes = knowledge::find_peak_causes(claim);
}

}  // namespace

knowledge::GpuMatch find_gpu(const model::Rank& rank) {
  const model::DeviceInfo* const device = rank.device_info();
  if (!device) return {};
  return knowledge::identify_gpu(
      {.name = device->name, .sm_count = device->sm_count, .memory_bytes = device->memory_bytes});
}

std::optional<double> datasheet_peak(const model::Rank& rank, format::DType dtype) {
  const auto range = find_gpu(rank).peak(dtype);
  if (!range || range->low != range->high) return std::nullopt;
  return range->low;
}

Efficiency find_efficiency(const model::Run& run, const std::vector<std::optional<Ledger>>& ledgers,
                           const std::vector<std::optional<DeviceClock>>& clocks,
                           const CountedWork& work, double time_by_steps,
                           const EfficiencyOptions& options) {
  Efficiency result;
  result.dtype = options.dtype.value_or(work.dtype);
  double time = 0;
  double timed_ranks = 0;
  for (const auto& ledger : ledgers) {
    if (!ledger) continue;
    time += static_cast<double>(ledger->total) / 1e9;
    ++timed_ranks;
  }
  if (timed_ranks > 0) result.mean_time_s = time / timed_ranks;
  find_peak(run, ledgers, clocks, time, options, result);
  if (time <= 0 && time_by_steps > 0) {
    result.is_by_steps = true;
    time = time_by_steps;
    result.mean_time_s = time / static_cast<double>(run.ranks.size());
  }
  if (time <= 0 || work.all() == 0) {
    result.absent_because = time <= 0 ? "no GPU times were recorded, and no steps are known"
                                      : "no matrix product was recorded whose shape is known";
    return result;
  }
  const auto per_s = [&](Flops flops) { return static_cast<double>(flops) / time; };
  result.flops_per_s = per_s(work.all());
  if (!result.peak_range) return result;
  result.low = per_s(work.low) / result.peak_range->high;
  result.high =
      per_s(work.high) / result.peak_range->low + static_cast<double>(work.unknown_ns) / 1e9 / time;
  if (!result.peak) return result;
  result.value = per_s(work.needed()) / *result.peak;
  result.causal = per_s(work.causal) / *result.peak;
  result.noncausal = per_s(work.noncausal) / *result.peak;
  result.hfu = per_s(work.executed) / *result.peak;
  explain_impossible(run, result);
  return result;
}

}  // namespace mfushim::passes
