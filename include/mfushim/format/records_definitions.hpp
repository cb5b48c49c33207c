// Facts and definitions: what the records of calls and device work refer to by id.
#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>

#include "mfushim/format/enums.hpp"
#include "mfushim/format/field.hpp"

namespace mfushim::format {

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

// Kind and sizes of an operation on tensors.
struct OperationShape {
  static constexpr Kind kKind = Kind::kOperationShape;
  std::uint32_t id = 0;
  OperationKind operation = OperationKind::kUnknown;
  std::uint64_t batch = 1, groups = 1;
  std::uint64_t m = 0, n = 0, k = 0, l = 0;
  std::uint64_t window = 1;
  DType dtype = DType::kUnknown;  // of the input
  std::uint32_t flags = 0;
  static constexpr auto fields() {
    return std::tuple{Field{"id", &OperationShape::id, Transform::kDelta},
                      Field{"operation", &OperationShape::operation},
                      Field{"batch", &OperationShape::batch},
                      Field{"groups", &OperationShape::groups},
                      Field{"m", &OperationShape::m},
                      Field{"n", &OperationShape::n},
                      Field{"k", &OperationShape::k},
                      Field{"l", &OperationShape::l},
                      Field{"window", &OperationShape::window},
                      Field{"dtype", &OperationShape::dtype},
                      Field{"flags", &OperationShape::flags}};
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

}  // namespace mfushim::format
