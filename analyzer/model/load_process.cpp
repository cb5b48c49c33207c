// Takes every record of a log to its place in a Process.
#include "model/load_process.hpp"

#include <algorithm>
#include <utility>

#include "model/device_windows.hpp"
#include "model/join.hpp"
#include "model/quarantine.hpp"
#include "model/time_limits.hpp"

namespace mfushim::model {

namespace {

template <class Record>
concept IsCall = std::is_base_of_v<format::CallBase, Record>;
template <class Record>
concept IsWork = std::is_same_v<Record, format::GpuKernel> ||
    std::is_same_v<Record, format::GpuCopy> || std::is_same_v<Record, format::GpuSet>;

constexpr CallKind call_kind(format::Kind kind) {
  switch (kind) {
    case format::Kind::kLaunch:
      return CallKind::kLaunch;
    case format::Kind::kGraphLaunch:
      return CallKind::kGraphLaunch;
    case format::Kind::kCopy:
      return CallKind::kCopy;
    case format::Kind::kSet:
      return CallKind::kSet;
    case format::Kind::kSync:
      return CallKind::kSync;
    case format::Kind::kGemm:
      return CallKind::kGemm;
    case format::Kind::kOperation:
      return CallKind::kOperation;
    case format::Kind::kCollective:
      return CallKind::kCollective;
    default:
      return CallKind::kOther;
  }
}

class Loader {
 public:
  explicit Loader(Process& process) : process_(process) {}

  template <class Record>
  void records(std::uint32_t lane, std::span<const Record> records) {
    for (const Record& record : records) take(lane, record);
  }

  void unknown(const format::BlockHeader& block, std::span<const std::uint8_t>) {
    process_.unknown_records += block.count;
  }

  std::vector<format::ClockAnchor> anchors;

 private:
  void take(std::uint32_t, const format::Fact& r) {
    process_.facts[std::string(r.key)] = std::string(r.value);
  }
  void take(std::uint32_t, const format::Name& r) { process_.names.set(r.id, std::string(r.text)); }
  void take(std::uint32_t, const format::Thread&) {}
  void take(std::uint32_t, const format::Stream&) {}
  void take(std::uint32_t, const format::Device& r) {
    process_.devices[r.index] = {.name = std::string(r.name),
                                 .uuid = std::string(r.uuid),
                                 .compute_capability = r.compute_capability,
                                 .sm_count = r.sm_count,
                                 .clock_khz = r.clock_khz,
                                 .memory_bytes = r.memory_bytes};
  }
  void take(std::uint32_t, const format::Queue& r) { process_.queues.set(r.id, r); }
  void take(std::uint32_t, const format::LaunchConfig& r) { process_.configs.set(r.id, r); }
  void take(std::uint32_t, const format::GemmShape& r) { process_.shapes.set(r.id, r); }
  void take(std::uint32_t, const format::OperationShape& r) { process_.operations.set(r.id, r); }
  void take(std::uint32_t, const format::CollectiveShape& r) { process_.collectives.set(r.id, r); }
  void take(std::uint32_t, const format::Communicator& r) {
    process_.communicators.set(
        r.id, {.hash = r.hash, .rank = r.rank, .size = r.size, .name = std::string(r.name)});
  }
  void take(std::uint32_t, const format::ClockAnchor& r) { anchors.push_back(r); }
  void take(std::uint32_t, const format::GpuState& r) {
    process_.clock_samples[r.device].push_back(
        {static_cast<std::int64_t>(r.ticks), r.sm_mhz, r.celsius, r.milliwatts, r.limits});
  }
  void take(std::uint32_t, const format::GpuTime& r) {
    // Ticks until the whole log is read, as in calls.
    const GpuTime time{static_cast<std::int64_t>(r.start), r.source, within_limits(r.offset_ns),
                       r.error_ns, std::string(r.reason)};
    process_.gpu_times.push_back(time);
    if (r.source != format::GpuTimeSource::kNone || !process_.has_gpu_time())
      process_.gpu_time = time;
  }
  void take(std::uint32_t, const format::Loss& r) {
    process_.losses.push_back({r.cause, r.count, std::string(r.detail)});
  }
  void take(std::uint32_t, const format::Coverage& r) {
    for (CoverageCount& known : process_.coverage)
      if (known.api == r.api && known.door == r.door && known.library == r.library) {
        known.count = r.count;
        return;
      }
    process_.coverage.push_back(
        {std::string(r.door), std::string(r.library), std::string(r.api), r.count});
  }
  void take(std::uint32_t, const format::Module& r) {
    // A library in use may at the same time be one that launches unseen.
    for (LoadedModule& known : process_.modules)
      if (known.path == r.path && known.role == r.role) {
        known.version = r.version;
        known.why = r.why;
        return;
      }
    process_.modules.push_back(
        {std::string(r.path), std::string(r.role), std::string(r.version), std::string(r.why)});
  }
  void take(std::uint32_t, const format::Cost& r) {
    process_.costs[std::string(r.what)] = {r.count, r.total_ns};
  }

  // Stamps stay ticks until the whole log is read: anchors may follow the calls that they date.
  template <IsCall Record>
  void take(std::uint32_t lane, const Record& r) {
    const auto start = static_cast<std::int64_t>(r.start);
    const auto end = static_cast<std::int64_t>(r.start + r.duration);
    if constexpr (std::is_same_v<Record, format::Mark>) {
      process_.marks.push_back({start, end, r.subject});
    } else {
      HostCall call{.start = start,
                    .end = end,
                    .sequence = r.sequence,
                    .thread = lane,
                    .api = r.api,
                    .subject = r.subject,
                    .parent = r.parent,
                    .result = r.result,
                    .kind = call_kind(Record::kKind)};
      if constexpr (requires { r.stream; }) call.stream = r.stream;
      if constexpr (requires { r.correlation; }) call.correlation = r.correlation;
      if constexpr (requires { r.repeat; }) call.number = r.repeat;
      if constexpr (requires { r.group; }) {
        call.number = r.number;
        call.group = r.group;
      }
      if constexpr (std::is_same_v<Record, format::Captured>) {
        call.graph = r.graph;
        call.kind = call_kind(r.of);
      }
      process_.calls.push_back(call);
      if constexpr (std::is_same_v<Record, format::Graph>)
        process_.graphs[r.subject] = {
            .base = r.base, .added = r.added, .flags = r.flags, .is_defined = true};
    }
  }

  template <IsWork Record>
  void take(std::uint32_t lane, const Record& r) {
    constexpr auto kLatest = static_cast<std::uint64_t>(kLatestNs);
    if (r.start > kLatest || r.duration > kLatest - r.start) {
      ++process_.quarantined["lies beyond the year 2039"];
      return;
    }
    DeviceWork work{.start = static_cast<std::int64_t>(r.start),
                    .end = static_cast<std::int64_t>(r.start + r.duration),
                    .queue = lane,
                    .correlation = r.correlation,
                    .graph = r.graph,
                    .node = r.node};
    if constexpr (std::is_same_v<Record, format::GpuKernel>) work.config = r.config;
    if constexpr (std::is_same_v<Record, format::GpuCopy>) work.copy_kind = r.copy_kind;
    if constexpr (requires { r.bytes; }) {
      work.bytes = r.bytes;
      work.kind = std::is_same_v<Record, format::GpuCopy> ? WorkKind::kCopy : WorkKind::kSet;
    }
    process_.work[process_.queues[lane].device].push_back(work);
  }

  Process& process_;
};

void date_records(Process& process) {
  for (HostCall& call : process.calls) {
    call.start = process.clock.to_ns(static_cast<std::uint64_t>(call.start));
    call.end = std::max(call.start, process.clock.to_ns(static_cast<std::uint64_t>(call.end)));
  }
  process.gpu_time.since = process.clock.to_ns(static_cast<std::uint64_t>(process.gpu_time.since));
  for (GpuTime& time : process.gpu_times)
    time.since = process.clock.to_ns(static_cast<std::uint64_t>(time.since));
  for (auto& [device, samples] : process.clock_samples) {
    for (ClockSample& sample : samples)
      sample.time_ns = process.clock.to_ns(static_cast<std::uint64_t>(sample.time_ns));
    std::ranges::stable_sort(samples, {}, &ClockSample::time_ns);
  }
  for (Mark& mark : process.marks) {
    mark.start = process.clock.to_ns(static_cast<std::uint64_t>(mark.start));
    mark.end = std::max(mark.start, process.clock.to_ns(static_cast<std::uint64_t>(mark.end)));
  }
}

}  // namespace

std::unique_ptr<Process> load_process(const std::string& path, const knowledge::UserRules* rules) {
  auto process = std::make_unique<Process>();
  process->path = path;
  read::LogReader reader(path);
  Loader loader(*process);
  while (reader.next()) reader.blocks(loader);
  process->damages = reader.damages();
  process->ended_in_order = reader.ended_in_order();
  process->clock = HostClock(reader.header().ticks_per_second, std::move(loader.anchors));
  date_records(*process);
  join(*process, rules);
  quarantine(*process);
  find_device_windows(*process);
  return process;
}

}  // namespace mfushim::model
