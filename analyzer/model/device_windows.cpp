// Windows of device times, from the records of changes and the first work of each stream.
#include "model/device_windows.hpp"

#include <algorithm>

namespace mfushim::model {

namespace {

constexpr std::int64_t kNoStart = DeviceWindow{}.start;
constexpr std::int64_t kNoEnd = DeviceWindow{}.end;
constexpr std::int64_t kBeginningShare = 10;

using Works = std::vector<DeviceWork>;

// A stretch with device times as the host asked for them, on the device's clock.
std::vector<DeviceWindow> asked_windows(const Process& process) {
  std::vector<DeviceWindow> windows;
  for (std::size_t i = 0; i < process.gpu_times.size(); ++i) {
    const GpuTime& time = process.gpu_times[i];
    if (!time.is_complete()) continue;
    DeviceWindow& window = windows.emplace_back();
    window.start = i == 0 ? kNoStart : process.on_device_clock(time.since);
    window.end = i + 1 == process.gpu_times.size()
                     ? kNoEnd
                     : process.on_device_clock(process.gpu_times[i + 1].since);
  }
  if (windows.empty() && process.gpu_time.source != format::GpuTimeSource::kEvents)
    windows.emplace_back();
  return windows;
}

// Where the recorded work of all streams that were in use has begun.
std::int64_t whole_from(const Process& process, const DeviceWindow& asked,
                        Works::const_iterator from, Works::const_iterator to) {
  if (asked.start == kNoStart) return kNoStart;
  const std::int64_t end = asked.end != kNoEnd ? asked.end
                           : from == to        ? asked.start
                                               : (to - 1)->end;
  const std::int64_t beginning = asked.start + (end - asked.start) / kBeginningShare;
  std::map<std::uint32_t, bool> seen;
  std::int64_t whole = from == to ? asked.start : from->start;
  for (auto work = from; work != to; ++work) {
    if (!seen.emplace(work->queue, true).second || work->call == kNone) continue;
    const std::int64_t launched = process.on_device_clock(process.calls[work->call].start);
    if (launched <= beginning) whole = std::max(whole, work->start);
  }
  return whole;
}

void mark_samples(const Process& process, Works& works) {
  if (std::none_of(process.gpu_times.begin(), process.gpu_times.end(), [](const GpuTime& time) {
        return time.source == format::GpuTimeSource::kEvents;
      }))
    return;
  for (DeviceWork& work : works) {
    work.sampled = (work.correlation & format::kEventCorrelation) != 0;
    work.in_window = !work.sampled;
  }
}

std::vector<DeviceWindow> whole_windows(const Process& process, Works& works) {
  std::vector<DeviceWindow> windows = asked_windows(process);
  mark_samples(process, works);
  auto from = works.begin();
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const std::int64_t next = i + 1 < windows.size() ? windows[i + 1].start : kNoEnd;
    const auto to = std::partition_point(from, works.end(),
                                         [&](const DeviceWork& work) { return work.start < next; });
    windows[i].start = whole_from(process, windows[i], from, to);
    for (; from != to; ++from)
      from->in_window =
          !from->sampled && from->start >= windows[i].start && from->start < windows[i].end;
  }
  return windows;
}

}  // namespace

void find_device_windows(Process& process) {
  for (auto& [device, works] : process.work)
    process.windows[device] = whole_windows(process, works);
}

}  // namespace mfushim::model
