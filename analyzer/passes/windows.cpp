// Stretches between the records that tell of a change, within the first and the last recorded call.
#include "passes/windows.hpp"

#include <algorithm>

#include "model/time_limits.hpp"
#include "passes/intervals.hpp"

namespace mfushim::passes {

namespace {

// Length that all unions have in common.
std::int64_t length_in_all(const std::vector<Union>& unions) {
  if (unions.empty()) return 0;
  Union common = unions.front();
  for (const Union& other : unions) common = intersect(common, other);
  return common.length();
}

}  // namespace

std::optional<double> WindowResult::share() const {
  if (windows == 0 || untimed_launches == 0 || total_ns <= 0) return std::nullopt;
  return static_cast<double>(timed_ns) / static_cast<double>(total_ns);
}

std::optional<double> WindowResult::coincidence() const {
  if (timed_ns <= 0) return std::nullopt;
  return static_cast<double>(coincident_ns) / static_cast<double>(timed_ns);
}

WindowResult find_windows(const model::Run& run) {
  WindowResult result;
  std::vector<Union> timed;
  for (const auto& process : run.processes) {
    const auto span = process->call_span();
    if (!span) continue;
    const auto [first, last] = *span;
    for (const model::HostCall& call : process->calls)
      if (call.is_launch() && call.result == 0 && !process->is_timed(call.start))
        ++result.untimed_launches;
    model::add_duration(result.total_ns, last - first);
    Union& mine = timed.emplace_back();
    const auto& times = process->gpu_times;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const std::int64_t from = i == 0 ? first : std::clamp(times[i].since, first, last);
      const std::int64_t to =
          i + 1 == times.size() ? last : std::clamp(times[i + 1].since, first, last);
      result.stretches.push_back({process.get(), from, to, times[i].source, times[i].reason});
      if (!times[i].is_complete()) continue;
      ++result.windows;
      mine.add({from, to});
    }
    model::add_duration(result.timed_ns, mine.length());
  }
  result.coincident_ns = model::within_limits(__int128{length_in_all(timed)} *
                                              static_cast<std::int64_t>(timed.size()));
  return result;
}

}  // namespace mfushim::passes
