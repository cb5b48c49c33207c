// Stretches between the records that tell of a change, within the first and the last recorded call.
#include "passes/windows.hpp"

#include <algorithm>

#include "model/time_limits.hpp"
#include "passes/intervals.hpp"

namespace mfushim::passes {

namespace {

using model::CallKind;

// Length that all unions have in common.
std::int64_t length_in_all(const std::vector<Union>& unions) {
  if (unions.empty()) return 0;
  Union common = unions.front();
  for (std::size_t i = 1; i < unions.size(); ++i) {
    Union both;
    for (const Interval& a : common.intervals())
      for (const Interval& b : unions[i].intervals())
        both.add({std::max(a.start, b.start), std::min(a.end, b.end)});
    common = both;
  }
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
    if (process->calls.empty()) continue;
    std::int64_t first = process->calls.front().start;
    std::int64_t last = process->calls.front().end;
    for (const model::HostCall& call : process->calls) {
      if (call.graph != 0) continue;
      first = std::min(first, call.start);
      last = std::max(last, call.end);
      const bool launches = call.kind == CallKind::kLaunch || call.kind == CallKind::kGraphLaunch;
      if (launches && call.result == 0 && !process->is_timed(call.start)) ++result.untimed_launches;
    }
    model::add_duration(result.total_ns, last - first);
    Union& mine = timed.emplace_back();
    const auto& times = process->gpu_times;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const std::int64_t from = i == 0 ? first : std::clamp(times[i].since, first, last);
      const std::int64_t to =
          i + 1 == times.size() ? last : std::clamp(times[i + 1].since, first, last);
      result.stretches.push_back({process.get(), from, to, times[i].source, times[i].reason});
      if (times[i].source == format::GpuTimeSource::kNone) continue;
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
