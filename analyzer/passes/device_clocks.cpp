// Means over busy time, weighted by the time that each sample stands for.
#include "passes/device_clocks.hpp"

#include <algorithm>
#include <limits>

namespace mfushim::passes {

namespace {

struct LimitName {
  std::uint64_t bit;
  std::string_view name;
};
// Without the bit of a device that has nothing to do: what it had to do is known from its work.
constexpr LimitName kLimitNames[] = {
    {format::kLimitSettings, "application_clocks"},
    {format::kLimitPowerCap, "power_cap"},
    {format::kLimitHardware, "hardware_slowdown"},
    {format::kLimitSyncBoost, "sync_boost"},
    {format::kLimitHeat, "thermal"},
    {format::kLimitHardwareHeat, "hardware_thermal"},
    {format::kLimitPowerBrake, "power_brake"},
    {format::kLimitDisplay, "display_clocks"},
};

// The part of the busy time that each sample is nearest to, in ns.
std::vector<double> times_of_samples(const std::vector<model::ClockSample>& samples,
                                     const model::Process& process, const Union& busy) {
  std::vector<double> times;
  Interval nearest{std::numeric_limits<std::int64_t>::min(), 0};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::int64_t at = process.on_device_clock(samples[i].time_ns);
    nearest.end = std::numeric_limits<std::int64_t>::max();
    if (i + 1 < samples.size())
      nearest.end = at + (process.on_device_clock(samples[i + 1].time_ns) - at) / 2;
    times.push_back(static_cast<double>(common_length(busy, nearest)));
    nearest.start = nearest.end;
  }
  return times;
}

}  // namespace

std::optional<DeviceClock> find_device_clock(const model::Rank& rank,
                                             const std::optional<Activity>& activity) {
  if (!rank.device || !activity) return std::nullopt;
  const auto found = rank.process->clock_samples.find(*rank.device);
  if (found == rank.process->clock_samples.end()) return std::nullopt;
  const auto& samples = found->second;
  const auto times = times_of_samples(samples, *rank.process, activity->all);

  DeviceClock clock;
  clock.min_mhz = std::numeric_limits<std::uint32_t>::max();
  double total = 0, megahertz = 0, watts = 0, watts_total = 0, limits_total = 0;
  std::vector<double> limited(std::size(kLimitNames));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const model::ClockSample& s = samples[i];
    const double time = times[i];
    if (time <= 0 || s.sm_mhz == 0) continue;
    ++clock.samples;
    total += time;
    megahertz += time * s.sm_mhz;
    clock.min_mhz = std::min(clock.min_mhz, s.sm_mhz);
    clock.max_mhz = std::max(clock.max_mhz, s.sm_mhz);
    if (s.celsius > 0) clock.max_celsius = std::max(clock.max_celsius.value_or(0), s.celsius);
    if (s.milliwatts > 0) {
      watts += time * s.milliwatts / 1e3;
      watts_total += time;
    }
    if (s.limits & format::kLimitsUnknown) continue;
    limits_total += time;
    for (std::size_t k = 0; k < limited.size(); ++k)
      if (s.limits & kLimitNames[k].bit) limited[k] += time;
  }
  if (total <= 0) return std::nullopt;
  clock.mean_mhz = megahertz / total;
  if (watts_total > 0) clock.mean_watts = watts / watts_total;
  for (std::size_t k = 0; k < limited.size(); ++k)
    if (limited[k] > 0) clock.limits.push_back({kLimitNames[k].name, limited[k] / limits_total});
  return clock;
}

}  // namespace mfushim::passes
