// Causality, order within a stream, and the end of the log.
#include "model/quarantine.hpp"

#include <algorithm>

namespace mfushim::model {

namespace {

using Records = std::vector<DeviceWork>;

// Beyond the error that the log states: CUPTI brings device stamps to the host's clock by a line
// through few readings of both, which misses by microseconds.
constexpr std::int64_t kConversionNs = 20'000;
// A record may last over the next one of its stream (programmatic launches let neighbours overlap),
// over no two that were launched after it.
constexpr int kOverlapped = 2;
constexpr std::size_t kLookAhead = 64;  // later records that are looked at

void take_out(Process& process, Records& records, const std::vector<bool>& bad,
              std::string_view cause) {
  if (std::find(bad.begin(), bad.end(), true) == bad.end()) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < records.size(); ++i)
    if (!bad[i]) records[kept++] = records[i];
  process.quarantined[cause] += records.size() - kept;
  records.resize(kept);
}

// One clock for both in an imported trace, whose error nobody states.
bool has_two_clocks(const Process& process) {
  return process.has_gpu_time() && process.gpu_time.source != format::GpuTimeSource::kImported;
}

std::int64_t clock_error(const Process& process) {
  return std::int64_t{process.gpu_time.error_ns} + process.clock.error_ns() + kConversionNs;
}

void take_out_early(Process& process, Records& records) {
  const std::int64_t error = clock_error(process);
  std::vector<bool> early(records.size());
  std::size_t launched = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (records[i].call == kNone) continue;
    ++launched;
    const HostCall& call = process.calls[records[i].call];
    early[i] = records[i].start + error < process.on_device_clock(call.start);
    count += early[i];
  }
  if (count > launched / 2)
    process.early_records += count;
  else
    take_out(process, records, early, "starts before its launch");
}

bool is_programmatic(const Process& process, const HostCall& call) {
  return call.kind == CallKind::kLaunch &&
         (process.configs[call.subject].flags & format::kLaunchProgrammatic) != 0;
}

// Whether the record at `at` of one stream's lasts over later work that began after its end. Nodes
// of one graph launch and parts of one copy may overlap as they like, and so may what no launch of
// the host put into the stream.
bool lasts_over_others(const Process& process, const Records& records,
                       const std::vector<std::uint32_t>& stream, std::size_t at) {
  const DeviceWork& record = records[stream[at]];
  int overlapped = 0;
  for (std::size_t i = at + 1; i < std::min(stream.size(), at + kLookAhead); ++i) {
    const DeviceWork& later = records[stream[i]];
    if (later.start >= record.end) break;
    if (later.end > record.end || later.call == kNone || later.correlation == record.correlation)
      continue;
    if (is_programmatic(process, process.calls[later.call])) continue;
    if (++overlapped == kOverlapped) return true;
  }
  return false;
}

void take_out_overlong(Process& process, Records& records) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> streams;  // indices, by queue
  for (std::uint32_t i = 0; i < records.size(); ++i) streams[records[i].queue].push_back(i);
  std::vector<bool> overlong(records.size());
  for (const auto& [queue, stream] : streams)
    for (std::size_t at = 0; at < stream.size(); ++at)
      overlong[stream[at]] = lasts_over_others(process, records, stream, at);
  take_out(process, records, overlong, "lasts over later work of its stream");
}

// Of a log that the recorder closed itself.
void take_out_endless(Process& process, Records& records) {
  const auto closed = process.clock.end_ns();
  if (!closed || !process.ended_in_order) return;
  const std::int64_t end = process.on_device_clock(*closed) + clock_error(process);
  std::vector<bool> endless(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) endless[i] = records[i].end > end;
  take_out(process, records, endless, "ends after the log");
}

}  // namespace

void quarantine(Process& process) {
  const bool compare_clocks = has_two_clocks(process) && process.clock.anchored();
  for (auto& [device, records] : process.work) {
    if (compare_clocks) take_out_early(process, records);
    take_out_overlong(process, records);
    if (compare_clocks) take_out_endless(process, records);
  }
}

}  // namespace mfushim::model
