// What a run is after reading: plain data, joined. Passes read it and change nothing.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "knowledge/kernels/kernel.hpp"
#include "mfushim/format/records.hpp"
#include "model/host_clock.hpp"
#include "model/id_table.hpp"
#include "read/log_reader.hpp"

namespace mfushim::model {

inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

enum class CallKind : std::uint8_t {
  kLaunch,
  kGraphLaunch,
  kCopy,
  kSet,
  kSync,
  kGemm,
  kOperation,
  kCollective,
  kGroupEnd,         // of NCCL: launches what the group's collectives asked for
  kGroupSimulation,  // ends a group in which nothing runs
  kOther,
};

// A call of the program, in nanoseconds of the process's host clock.
struct HostCall {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::uint64_t sequence = 0;
  std::uint32_t thread = 0;
  std::uint32_t api = 0;
  std::uint32_t subject = 0;
  std::uint32_t stream = 0;
  std::uint32_t parent = kNone;  // index of the recorded call around
  std::uint32_t correlation = 0;
  std::uint32_t number = 0;  // of a collective in its communicator; how often a product is repeated
  std::uint32_t group = 0;
  std::uint32_t graph = 0;  // that it went into instead of being done; 0: none
  std::int32_t result = 0;
  CallKind kind = CallKind::kOther;

  // Of kernels or a graph, now.
  bool is_launch() const {
    return (kind == CallKind::kLaunch || kind == CallKind::kGraphLaunch) && graph == 0;
  }
};

// What calls were captured into, by the recorder's number; a launch of it does all of it. One that
// no record defines contains nothing but what was captured into its own number.
struct Graph {
  std::uint32_t base = 0;
  std::uint32_t added = 0;
  std::uint32_t flags = 0;  // in what follows, also those of all that it contains
  bool is_defined = false;
  std::uint64_t executions = 0;        // of the calls that were captured into it
  std::uint64_t timed_executions = 0;  // of these, with device work that is known to be theirs
};

enum class WorkKind : std::uint8_t { kKernel, kCopy, kSet };

// What the device did, in nanoseconds of the GPU time source's clock.
struct DeviceWork {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::uint64_t bytes = 0;
  std::uint32_t queue = 0;
  std::uint32_t config = 0;
  std::uint32_t correlation = 0;
  std::uint32_t graph = 0;
  std::uint64_t node = 0;
  std::uint32_t call = kNone;   // index of the call that launched it
  std::uint32_t owner = kNone;  // index of the product, operation, collective or group end around
  WorkKind kind = WorkKind::kKernel;
  format::CopyKind copy_kind = format::CopyKind::kUnknown;
  bool communication = false;
  bool in_window = true;  // starts where all work of its device was recorded
  bool sampled = false;   // by events: of the work beside it some has no record
};

// Host time from the first recorded call's start to the last one's end.
struct CallSpan {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

// A stretch of a device's time of which all its work was recorded, on the device's clock.
struct DeviceWindow {
  std::int64_t start = std::numeric_limits<std::int64_t>::min();
  std::int64_t end = std::numeric_limits<std::int64_t>::max();
};

struct Mark {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::uint32_t name = 0;
};

struct KernelName {
  std::string text;  // demangled
  knowledge::KernelFacts facts;
};

struct Loss {
  format::LossCause cause = format::LossCause::kUnknown;
  std::uint64_t count = 0;
  std::string detail;
};

struct CoverageCount {
  std::string door;
  std::string library;
  std::string api;
  std::uint64_t count = 0;
};

struct LoadedModule {
  std::string path;
  std::string role;
  std::string version;
  std::string why;  // of the role "unhooked"
};

struct Cost {
  std::uint64_t count = 0;
  std::uint64_t total_ns = 0;
};

struct GpuTime {
  std::int64_t since = 0;  // on the process's host clock
  format::GpuTimeSource source = format::GpuTimeSource::kNone;
  std::int64_t offset_ns = 0;
  std::uint32_t error_ns = 0;
  std::string reason;

  // Of all work, not only of what events are put around.
  bool is_complete() const {
    return source == format::GpuTimeSource::kCupti || source == format::GpuTimeSource::kImported;
  }
};

struct DeviceInfo {
  std::string name;
  std::string uuid;
  std::uint32_t compute_capability = 0;
  std::uint32_t sm_count = 0;
  std::uint32_t clock_khz = 0;
  std::uint64_t memory_bytes = 0;
};

// A device at one instant, as format::GpuState has it.
struct ClockSample {
  std::int64_t time_ns = 0;  // of the process's host clock
  std::uint32_t sm_mhz = 0;
  std::uint32_t celsius = 0;
  std::uint32_t milliwatts = 0;
  std::uint64_t limits = 0;
};

struct CommunicatorInfo {
  std::uint64_t hash = 0;
  std::int32_t rank = -1;
  std::int32_t size = -1;
  std::string name;
};

// One log.
struct Process {
  std::string path;
  std::map<std::string, std::string, std::less<>> facts;
  HostClock clock;
  GpuTime gpu_time;  // the last source that was not "none", else the last reason why there is none
  std::vector<GpuTime> gpu_times;  // each until the next one's `since`

  IdTable<std::string> names;
  IdTable<KernelName> kernel_names;  // by name id
  IdTable<format::LaunchConfig> configs;
  IdTable<format::GemmShape> shapes;
  IdTable<format::OperationShape> operations;
  IdTable<format::CollectiveShape> collectives;
  IdTable<CommunicatorInfo> communicators;
  IdTable<format::Queue> queues;
  std::map<std::uint32_t, DeviceInfo> devices;  // by index

  std::vector<HostCall> calls;
  // Indices of a thread's calls in the order in which they were entered.
  std::map<std::uint32_t, std::vector<std::uint32_t>> threads;
  std::unordered_map<std::uint32_t, Graph> graphs;
  std::vector<Mark> marks;
  std::map<std::uint32_t, std::vector<DeviceWork>> work;       // by device index, sorted by start
  std::map<std::uint32_t, std::vector<DeviceWindow>> windows;  // likewise; apart, in order
  std::map<std::uint32_t, std::vector<ClockSample>> clock_samples;  // likewise, in order of time

  std::vector<Loss> losses;
  std::vector<CoverageCount> coverage;
  std::vector<LoadedModule> modules;
  std::map<std::string, Cost> costs;
  std::map<std::string_view, std::uint64_t> quarantined;  // device records left out, by cause
  std::uint64_t early_records = 0;    // that start before their launch, and were kept
  std::uint64_t unknown_records = 0;  // of kinds of a newer version
  std::vector<read::Damage> damages;
  bool ended_in_order = false;

  // Empty when the fact is not there.
  const std::string& fact(std::string_view key) const;
  std::optional<std::int64_t> integer_fact(std::string_view key) const;
  // How often the work of a call was done: as often as the graph that it was captured into.
  std::uint64_t executions(const HostCall& call) const;
  // Of a captured call: those with device work that is known to be its own.
  std::uint64_t timed_executions(const HostCall& call) const;
  // Where a stamp of this process's host clock lies on the clock of its device stamps.
  std::int64_t on_device_clock(std::int64_t host_ns) const { return host_ns - gpu_time.offset_ns; }
  // Absent without calls.
  std::optional<CallSpan> call_span() const;
  // Whether device times were taken of all that was launched then.
  bool is_timed(std::int64_t host_ns) const;
  bool has_gpu_time() const { return gpu_time.source != format::GpuTimeSource::kNone; }
};

// A device as one process used it. `work` is null where GPU times were not recorded.
struct Rank {
  const Process* process = nullptr;
  std::optional<std::int64_t> number;
  std::optional<std::uint32_t> device;
  const std::vector<DeviceWork>* work = nullptr;
  const std::vector<DeviceWindow>* windows = nullptr;  // null: all the time

  const DeviceInfo* device_info() const;
  // At some time all work's.
  bool has_complete_times() const { return work && (!windows || !windows->empty()); }
};

struct Run {
  std::string id;  // empty: the logs do not tell
  std::vector<std::unique_ptr<Process>> processes;
  std::vector<Rank> ranks;  // ordered by rank, then host and process
};

}  // namespace mfushim::model
