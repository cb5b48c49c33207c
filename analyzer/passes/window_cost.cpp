// Counts launches in stretches of each process's time, one pause and the window after it at a time.
#include "passes/window_cost.hpp"

#include <algorithm>
#include <map>

#include "mfushim/median_bound.hpp"

namespace mfushim::passes {

namespace {

constexpr std::int64_t kFewLaunches = 32;  // of a pause: their rate says nothing

using Launches = std::vector<std::int64_t>;  // when, in order

Launches launches_of(const model::Process& process) {
  Launches times;
  for (const model::HostCall& call : process.calls)
    if (call.is_launch() && call.result == 0) times.push_back(call.start);
  std::sort(times.begin(), times.end());
  return times;
}

std::int64_t launches_in(const Launches& times, const TimedStretch& stretch) {
  return std::lower_bound(times.begin(), times.end(), stretch.end_ns) -
         std::lower_bound(times.begin(), times.end(), stretch.start_ns);
}

// What a window loses against the pause before it, unless that tells nothing.
std::optional<double> loss_of(const Launches& times, const TimedStretch& pause,
                              const TimedStretch& window) {
  const std::int64_t before = launches_in(times, pause);
  const std::int64_t pause_ns = pause.end_ns - pause.start_ns;
  const std::int64_t window_ns = window.end_ns - window.start_ns;
  if (before < kFewLaunches || pause_ns <= 0 || window_ns <= 0) return std::nullopt;
  const double rate =
      static_cast<double>(launches_in(times, window)) / static_cast<double>(window_ns);
  return 1 - rate * static_cast<double>(pause_ns) / static_cast<double>(before);
}

}  // namespace

std::optional<WindowCost> find_window_cost(const WindowResult& windows) {
  std::map<const model::Process*, Launches> launches;
  std::vector<double> losses;
  const auto& stretches = windows.stretches;
  // A process's first pause is its beginning, which is unlike the rest.
  for (std::size_t i = 2; i < stretches.size(); ++i) {
    const TimedStretch& pause = stretches[i - 1];
    const TimedStretch& window = stretches[i];
    if (stretches[i - 2].process != window.process) continue;
    if (pause.source == format::GpuTimeSource::kCupti ||
        window.source != format::GpuTimeSource::kCupti)
      continue;
    const auto known = launches.try_emplace(window.process);
    if (known.second) known.first->second = launches_of(*window.process);
    if (const auto loss = loss_of(known.first->second, pause, window)) losses.push_back(*loss);
  }
  if (losses.empty()) return std::nullopt;
  std::sort(losses.begin(), losses.end());
  const std::size_t n = losses.size();
  WindowCost cost{n, (losses[(n - 1) / 2] + losses[n / 2]) / 2, std::nullopt, std::nullopt};
  if (const int bound = median_bound(static_cast<int>(n)); bound > 0) {
    cost.low = losses[static_cast<std::size_t>(bound) - 1];
    cost.high = losses[n - static_cast<std::size_t>(bound)];
  }
  return cost;
}

}  // namespace mfushim::passes
