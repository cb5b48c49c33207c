// One struct per record kind, each with its fields in wire order: the writer, the reader, the text
// form and the documentation all follow these tables.
//
// Units: host stamps (`start`, `duration` of calls) are ticks of the file header's clock, device
// stamps are integer nanoseconds of the GPU time source's own clock (see GpuTime), sizes are bytes.
// Ids are per log and start at 1; 0 is "none" or "unknown". A definition precedes its first use.
#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>

#include "mfushim/format/enums.hpp"

namespace mfushim::format {

// How a column's values are predicted, so that what is left is small. Written in each column's
// head.
enum class Transform : std::uint8_t {
  kPlain = 0,     // the value
  kDelta = 1,     // zigzag(value - value of the previous record)
  kSinceEnd = 2,  // zigzag(start - (start + duration of the previous record))
  kByKey = 3,     // zigzag(value - last value of a record with the same key())
};

template <class Record, class Value>
struct Field {
  const char* name;
  Value Record::*member;
  Transform transform = Transform::kPlain;
};

template <class Record, class Value>
Field(const char*, Value Record::*) -> Field<Record, Value>;
template <class Record, class Value>
Field(const char*, Value Record::*, Transform) -> Field<Record, Value>;

// A fact about process, job or machine as key and value. Later facts replace earlier ones. Keys
// that readers know: docs/format.md.
struct Fact {
  static constexpr Kind kKind = Kind::kFact;
  std::string_view key;
  std::string_view value;
  static constexpr auto fields() {
    return std::tuple{Field{"key", &Fact::key}, Field{"value", &Fact::value}};
  }
};

// An interned text: kernel names as the driver gave them (mangled or not), names of calls, marks.
struct Name {
  static constexpr Kind kKind = Kind::kName;
  std::uint32_t id = 0;
  std::string_view text;
  static constexpr auto fields() {
    return std::tuple{Field{"id", &Name::id, Transform::kDelta}, Field{"text", &Name::text}};
  }
};

// A host thread; its id is the lane of its calls.
struct Thread {
  static constexpr Kind kKind = Kind::kThread;
  std::uint32_t id = 0;
  std::uint64_t tid = 0;  // as the operating system numbers it
  std::string_view name;
  static constexpr auto fields() {
    return std::tuple{Field{"id", &Thread::id, Transform::kDelta}, Field{"tid", &Thread::tid},
                      Field{"name", &Thread::name}};
  }
};

// A GPU as the process numbers it. Zero is "not known".
struct Device {
  static constexpr Kind kKind = Kind::kDevice;
  std::uint32_t index = 0;
  std::string_view name;
  std::string_view uuid;
  std::uint32_t compute_capability = 0;  // 10 * major + minor
  std::uint32_t sm_count = 0;
  std::uint32_t clock_khz = 0;
  std::uint32_t memory_clock_khz = 0;
  std::uint32_t memory_bus_bits = 0;
  std::uint64_t memory_bytes = 0;
  std::uint32_t l2_bytes = 0;
  static constexpr auto fields() {
    return std::tuple{Field{"index", &Device::index},
                      Field{"name", &Device::name},
                      Field{"uuid", &Device::uuid},
                      Field{"compute_capability", &Device::compute_capability},
                      Field{"sm_count", &Device::sm_count},
                      Field{"clock_khz", &Device::clock_khz},
                      Field{"memory_clock_khz", &Device::memory_clock_khz},
                      Field{"memory_bus_bits", &Device::memory_bus_bits},
                      Field{"memory_bytes", &Device::memory_bytes},
                      Field{"l2_bytes", &Device::l2_bytes}};
  }
};

// A stream as the host calls name it.
struct Stream {
  static constexpr Kind kKind = Kind::kStream;
  std::uint32_t id = 0;
  std::uint64_t handle =
      0;  // as the program passed it; 0, 1 and 2 are the driver's default streams
  std::uint64_t context = 0;  // handle of its context
  std::uint32_t device = 0;   // device index + 1; 0: not known
  static constexpr auto fields() {
    return std::tuple{Field{"id", &Stream::id, Transform::kDelta}, Field{"handle", &Stream::handle},
                      Field{"context", &Stream::context}, Field{"device", &Stream::device}};
  }
};

// Where device work ran, as the GPU time source names it; its id is the lane of device records.
struct Queue {
  static constexpr Kind kKind = Kind::kQueue;
  std::uint32_t id = 0;
  std::uint32_t device = 0;  // device index
  std::uint64_t context = 0;
  std::int64_t stream = 0;
  static constexpr auto fields() {
    return std::tuple{Field{"id", &Queue::id, Transform::kDelta}, Field{"device", &Queue::device},
                      Field{"context", &Queue::context}, Field{"stream", &Queue::stream}};
  }
};

// Everything about a kernel launch that repeats; calls and device records refer to it.
struct LaunchConfig {
  static constexpr Kind kKind = Kind::kLaunchConfig;
  std::uint32_t id = 0;
  std::uint32_t kernel = 0;                             // name id
  std::uint32_t grid_x = 0, grid_y = 0, grid_z = 0;     // blocks; 0 0 0: not known
  std::uint32_t block_x = 0, block_y = 0, block_z = 0;  // threads
  std::uint32_t shared_static = 0, shared_dynamic = 0;  // bytes
  std::uint32_t cluster_x = 0, cluster_y = 0, cluster_z = 0;
  std::uint32_t registers = 0;  // per thread
  std::uint32_t flags = 0;
  static constexpr auto fields() {
    return std::tuple{Field{"id", &LaunchConfig::id, Transform::kDelta},
                      Field{"kernel", &LaunchConfig::kernel, Transform::kDelta},
                      Field{"grid_x", &LaunchConfig::grid_x},
                      Field{"grid_y", &LaunchConfig::grid_y},
                      Field{"grid_z", &LaunchConfig::grid_z},
                      Field{"block_x", &LaunchConfig::block_x},
                      Field{"block_y", &LaunchConfig::block_y},
                      Field{"block_z", &LaunchConfig::block_z},
                      Field{"shared_static", &LaunchConfig::shared_static},
                      Field{"shared_dynamic", &LaunchConfig::shared_dynamic},
                      Field{"cluster_x", &LaunchConfig::cluster_x},
                      Field{"cluster_y", &LaunchConfig::cluster_y},
                      Field{"cluster_z", &LaunchConfig::cluster_z},
                      Field{"registers", &LaunchConfig::registers},
                      Field{"flags", &LaunchConfig::flags}};
  }
};

// Shape and types of a matrix product, column-major as cuBLAS has it: D(m,n) = op(A)(m,k)
// op(B)(k,n).
struct GemmShape {
  static constexpr Kind kKind = Kind::kGemmShape;
  std::uint32_t id = 0;
  ProductKind product = ProductKind::kGemm;
  std::uint64_t m = 0, n = 0, k = 0, batch = 1;
  Transpose trans_a = Transpose::kNone, trans_b = Transpose::kNone;
  DType a = DType::kUnknown, b = DType::kUnknown, c = DType::kUnknown, d = DType::kUnknown;
  std::int32_t compute = -1;    // cublasComputeType_t as given; -1: implied by the function
  std::uint32_t epilogue = 0;   // cublasLtEpilogue_t as given
  std::uint32_t math_mode = 0;  // cublasMath_t of the handle, for TF32 and emulation
  std::uint32_t flags = 0;
  static constexpr auto fields() {
    return std::tuple{Field{"id", &GemmShape::id, Transform::kDelta},
                      Field{"product", &GemmShape::product},
                      Field{"m", &GemmShape::m},
                      Field{"n", &GemmShape::n},
                      Field{"k", &GemmShape::k},
                      Field{"batch", &GemmShape::batch},
                      Field{"trans_a", &GemmShape::trans_a},
                      Field{"trans_b", &GemmShape::trans_b},
                      Field{"a", &GemmShape::a},
                      Field{"b", &GemmShape::b},
                      Field{"c", &GemmShape::c},
                      Field{"d", &GemmShape::d},
                      Field{"compute", &GemmShape::compute},
                      Field{"epilogue", &GemmShape::epilogue},
                      Field{"math_mode", &GemmShape::math_mode},
                      Field{"flags", &GemmShape::flags}};
  }
};

// A communicator as one process sees it. `hash` is equal on all its ranks; see docs/format.md.
struct Communicator {
  static constexpr Kind kKind = Kind::kCommunicator;
  std::uint32_t id = 0;
  std::uint64_t hash = 0;
  std::int32_t rank = -1;
  std::int32_t size = -1;
  std::uint32_t parent = 0;  // the communicator it was split from
  std::string_view name;
  static constexpr auto fields() {
    return std::tuple{Field{"id", &Communicator::id, Transform::kDelta},
                      Field{"hash", &Communicator::hash},
                      Field{"rank", &Communicator::rank},
                      Field{"size", &Communicator::size},
                      Field{"parent", &Communicator::parent},
                      Field{"name", &Communicator::name}};
  }
};

// Everything about a collective that repeats. `count` is the element count argument of the call.
struct CollectiveShape {
  static constexpr Kind kKind = Kind::kCollectiveShape;
  std::uint32_t id = 0;
  std::uint32_t communicator = 0;
  CollectiveOp op = CollectiveOp::kUnknown;
  DType dtype = DType::kUnknown;
  Reduction reduction = Reduction::kNone;
  std::uint64_t count = 0;
  std::int32_t peer = -1;  // root or peer rank
  std::uint8_t in_place = 0;
  static constexpr auto fields() {
    return std::tuple{Field{"id", &CollectiveShape::id, Transform::kDelta},
                      Field{"communicator", &CollectiveShape::communicator},
                      Field{"op", &CollectiveShape::op},
                      Field{"dtype", &CollectiveShape::dtype},
                      Field{"reduction", &CollectiveShape::reduction},
                      Field{"count", &CollectiveShape::count},
                      Field{"peer", &CollectiveShape::peer},
                      Field{"in_place", &CollectiveShape::in_place}};
  }
};

// One instant on all clocks of the host.
struct ClockAnchor {
  static constexpr Kind kKind = Kind::kClockAnchor;
  std::uint64_t ticks = 0;
  std::uint64_t monotonic_ns = 0;
  std::uint64_t realtime_ns = 0;
  std::uint32_t error_ns = 0;  // half the width of the readings around it
  static constexpr auto fields() {
    return std::tuple{Field{"ticks", &ClockAnchor::ticks, Transform::kDelta},
                      Field{"monotonic_ns", &ClockAnchor::monotonic_ns, Transform::kDelta},
                      Field{"realtime_ns", &ClockAnchor::realtime_ns, Transform::kDelta},
                      Field{"error_ns", &ClockAnchor::error_ns}};
  }
};

// What all host calls share.
struct CallBase {
  std::uint32_t api = 0;       // name id of the entry point
  std::uint32_t subject = 0;   // what the call is about; each record says which id this is
  std::uint64_t duration = 0;  // of the outermost intercepted call
  std::uint64_t start = 0;
  std::uint64_t sequence = 0;  // numbers the thread's recorded calls at their entry, from 1
  std::uint32_t parent = 0;  // sequence distance back to the recorded call around this one; 0: none
  std::int32_t result = 0;   // return value
  std::uint32_t key() const { return subject * 31 + api; }
};

constexpr auto call_fields() {
  return std::tuple{Field{"api", &CallBase::api},
                    Field{"subject", &CallBase::subject},
                    Field{"duration", &CallBase::duration, Transform::kByKey},
                    Field{"start", &CallBase::start, Transform::kSinceEnd},
                    Field{"sequence", &CallBase::sequence, Transform::kDelta},
                    Field{"parent", &CallBase::parent},
                    Field{"result", &CallBase::result}};
}

// Kernel launch; subject = LaunchConfig.
struct Launch : CallBase {
  static constexpr Kind kKind = Kind::kLaunch;
  std::uint32_t stream = 0;
  std::uint32_t correlation = 0;  // joins device records within this process; 0: none
  static constexpr auto fields() {
    return std::tuple_cat(
        call_fields(), std::tuple{Field{"stream", &Launch::stream},
                                  Field{"correlation", &Launch::correlation, Transform::kDelta}});
  }
};

// Launch of an executable graph; subject = the graph, numbered by the recorder.
struct GraphLaunch : CallBase {
  static constexpr Kind kKind = Kind::kGraphLaunch;
  std::uint32_t stream = 0;
  std::uint32_t correlation = 0;
  static constexpr auto fields() {
    return std::tuple_cat(call_fields(), std::tuple{Field{"stream", &GraphLaunch::stream},
                                                    Field{"correlation", &GraphLaunch::correlation,
                                                          Transform::kDelta}});
  }
};

// Copy; subject = stream (0: a form without a stream argument).
struct Copy : CallBase {
  static constexpr Kind kKind = Kind::kCopy;
  std::uint64_t bytes = 0;
  CopyKind copy_kind = CopyKind::kUnknown;
  std::uint32_t correlation = 0;
  static constexpr auto fields() {
    return std::tuple_cat(
        call_fields(),
        std::tuple{Field{"bytes", &Copy::bytes}, Field{"copy_kind", &Copy::copy_kind},
                   Field{"correlation", &Copy::correlation, Transform::kDelta}});
  }
};

// Memory set; subject = stream.
struct Set : CallBase {
  static constexpr Kind kKind = Kind::kSet;
  std::uint64_t bytes = 0;
  std::uint32_t correlation = 0;
  static constexpr auto fields() {
    return std::tuple_cat(call_fields(),
                          std::tuple{Field{"bytes", &Set::bytes},
                                     Field{"correlation", &Set::correlation, Transform::kDelta}});
  }
};

// Call that waits for the device: its duration is blocked time; subject = stream, 0: context or
// device.
struct Sync : CallBase {
  static constexpr Kind kKind = Kind::kSync;
  static constexpr auto fields() { return call_fields(); }
};

// Matrix product, the outermost call of it; subject = GemmShape. A grouped call is one record a
// group member shape, all with the sequence of the call, `repeat` products each.
struct Gemm : CallBase {
  static constexpr Kind kKind = Kind::kGemm;
  std::uint32_t stream = 0;
  std::uint32_t repeat = 1;
  static constexpr auto fields() {
    return std::tuple_cat(
        call_fields(), std::tuple{Field{"stream", &Gemm::stream}, Field{"repeat", &Gemm::repeat}});
  }
};

// Collective or point-to-point call; subject = CollectiveShape.
struct Collective : CallBase {
  static constexpr Kind kKind = Kind::kCollective;
  std::uint32_t stream = 0;
  std::uint32_t number = 0;  // per communicator in order of the calls, from 0
  std::uint32_t group = 0;   // calls of one NCCL group share it; 0: not in a group
  static constexpr auto fields() {
    return std::tuple_cat(call_fields(),
                          std::tuple{Field{"stream", &Collective::stream},
                                     Field{"number", &Collective::number, Transform::kDelta},
                                     Field{"group", &Collective::group, Transform::kDelta}});
  }
};

// Any other recorded call (allocation, graph instantiation, NCCL group end, ...); subject = name id
// of a detail, or 0. `bytes` where the call has a size.
struct Call : CallBase {
  static constexpr Kind kKind = Kind::kCall;
  std::uint64_t bytes = 0;
  static constexpr auto fields() {
    return std::tuple_cat(call_fields(), std::tuple{Field{"bytes", &Call::bytes}});
  }
};

// A named span of host time that the program announced itself, as a profiler's step; subject =
// name.
struct Mark : CallBase {
  static constexpr Kind kKind = Kind::kMark;
  static constexpr auto fields() { return call_fields(); }
};

// Kernel execution. Correlation joins it to its launch; nodes of one graph launch share that
// launch's.
struct GpuKernel {
  static constexpr Kind kKind = Kind::kGpuKernel;
  std::uint32_t config = 0;
  std::uint64_t duration = 0;
  std::uint64_t start = 0;
  std::uint32_t correlation = 0;
  std::uint32_t graph = 0;
  std::uint64_t node = 0;
  std::uint32_t key() const { return config; }
  static constexpr auto fields() {
    return std::tuple{Field{"config", &GpuKernel::config},
                      Field{"duration", &GpuKernel::duration, Transform::kByKey},
                      Field{"start", &GpuKernel::start, Transform::kSinceEnd},
                      Field{"correlation", &GpuKernel::correlation, Transform::kDelta},
                      Field{"graph", &GpuKernel::graph},
                      Field{"node", &GpuKernel::node, Transform::kDelta}};
  }
};

struct GpuCopy {
  static constexpr Kind kKind = Kind::kGpuCopy;
  CopyKind copy_kind = CopyKind::kUnknown;
  std::uint64_t bytes = 0;
  std::uint64_t duration = 0;
  std::uint64_t start = 0;
  std::uint32_t correlation = 0;
  std::uint32_t graph = 0;
  std::uint64_t node = 0;
  std::uint32_t key() const { return static_cast<std::uint32_t>(bytes); }
  static constexpr auto fields() {
    return std::tuple{Field{"copy_kind", &GpuCopy::copy_kind},
                      Field{"bytes", &GpuCopy::bytes},
                      Field{"duration", &GpuCopy::duration, Transform::kByKey},
                      Field{"start", &GpuCopy::start, Transform::kSinceEnd},
                      Field{"correlation", &GpuCopy::correlation, Transform::kDelta},
                      Field{"graph", &GpuCopy::graph},
                      Field{"node", &GpuCopy::node, Transform::kDelta}};
  }
};

struct GpuSet {
  static constexpr Kind kKind = Kind::kGpuSet;
  std::uint64_t bytes = 0;
  std::uint64_t duration = 0;
  std::uint64_t start = 0;
  std::uint32_t correlation = 0;
  std::uint32_t graph = 0;
  std::uint64_t node = 0;
  std::uint32_t key() const { return static_cast<std::uint32_t>(bytes); }
  static constexpr auto fields() {
    return std::tuple{Field{"bytes", &GpuSet::bytes},
                      Field{"duration", &GpuSet::duration, Transform::kByKey},
                      Field{"start", &GpuSet::start, Transform::kSinceEnd},
                      Field{"correlation", &GpuSet::correlation, Transform::kDelta},
                      Field{"graph", &GpuSet::graph},
                      Field{"node", &GpuSet::node, Transform::kDelta}};
  }
};

// From `start` (host ticks) on, device times come from this source; `offset_ns` added to a device
// stamp gives CLOCK_REALTIME nanoseconds (0 when it is that clock already), within `error_ns`.
struct GpuTime {
  static constexpr Kind kKind = Kind::kGpuTime;
  GpuTimeSource source = GpuTimeSource::kNone;
  std::uint64_t start = 0;
  std::int64_t offset_ns = 0;
  std::uint32_t error_ns = 0;
  std::string_view reason;  // why this source, or why none
  static constexpr auto fields() {
    return std::tuple{Field{"source", &GpuTime::source}, Field{"start", &GpuTime::start},
                      Field{"offset_ns", &GpuTime::offset_ns},
                      Field{"error_ns", &GpuTime::error_ns}, Field{"reason", &GpuTime::reason}};
  }
};

// `count` records are missing for this cause between two host stamps (both 0: not known when).
struct Loss {
  static constexpr Kind kKind = Kind::kLoss;
  LossCause cause = LossCause::kUnknown;
  std::uint64_t count = 0;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::string_view detail;
  static constexpr auto fields() {
    return std::tuple{Field{"cause", &Loss::cause}, Field{"count", &Loss::count},
                      Field{"start", &Loss::start}, Field{"end", &Loss::end},
                      Field{"detail", &Loss::detail}};
  }
};

// Calls of `api` seen so far that came from `library` through `door`: "symbol" (exported symbol),
// "dlsym" or "getproc" (cuGetProcAddress). Later records of the same key replace earlier ones.
struct Coverage {
  static constexpr Kind kKind = Kind::kCoverage;
  std::string_view door;
  std::string_view library;
  std::string_view api;
  std::uint64_t count = 0;
  static constexpr auto fields() {
    return std::tuple{Field{"door", &Coverage::door}, Field{"library", &Coverage::library},
                      Field{"api", &Coverage::api}, Field{"count", &Coverage::count}};
  }
};

// A loaded module that matters for trust: a CUDA library in use, or one that may launch unseen.
struct Module {
  static constexpr Kind kKind = Kind::kModule;
  std::string_view path;
  std::string_view role;     // "cudart", "cublas", ..., "unhooked"
  std::string_view version;  // as the library tells it; empty when not known
  static constexpr auto fields() {
    return std::tuple{Field{"path", &Module::path}, Field{"role", &Module::role},
                      Field{"version", &Module::version}};
  }
};

// What the recorder itself cost so far: `what` is "hook" (inside the program's threads), "writer",
// "cupti". Later records of the same `what` replace earlier ones.
struct Cost {
  static constexpr Kind kKind = Kind::kCost;
  std::string_view what;
  std::uint64_t count = 0;
  std::uint64_t total_ns = 0;
  static constexpr auto fields() {
    return std::tuple{Field{"what", &Cost::what}, Field{"count", &Cost::count},
                      Field{"total_ns", &Cost::total_ns}};
  }
};

// Every record type there is, in order of kind.
using AllRecords =
    std::tuple<Fact, Name, Thread, Device, Stream, Queue, LaunchConfig, GemmShape, Communicator,
               CollectiveShape, ClockAnchor, Launch, GraphLaunch, Copy, Set, Sync, Gemm, Collective,
               Call, Mark, GpuKernel, GpuCopy, GpuSet, GpuTime, Loss, Coverage, Module, Cost>;

// Calls visitor.template operator()<Record>() for the record type of `kind`; false when unknown.
template <class Visitor>
constexpr bool with_record(Kind kind, Visitor&& visitor) {
  return [&]<class... R>(std::tuple<R...>*) {
    return ((R::kKind == kind ? (visitor.template operator()<R>(), true) : false) || ...);
  }(static_cast<AllRecords*>(nullptr));
}

template <class Record>
concept HasKey = requires(const Record& r) {
  r.key();
};
template <class Record>
concept HasSpan = requires(const Record& r) {
  r.start;
  r.duration;
};

}  // namespace mfushim::format
