// Converts CUPTI's activity records.
#include "cupti_records.hpp"

#include <array>

#include "cupti_layout.hpp"
#include "recorder.hpp"

namespace mfushim::shim::cupti {

namespace {

// CUpti_ActivityMemcpyKind.
constexpr std::array kCopyKinds = {format::CopyKind::kUnknown,
                                   format::CopyKind::kHostToDevice,
                                   format::CopyKind::kDeviceToHost,
                                   format::CopyKind::kArray,
                                   format::CopyKind::kArray,
                                   format::CopyKind::kArray,
                                   format::CopyKind::kArray,
                                   format::CopyKind::kArray,
                                   format::CopyKind::kDeviceToDevice,
                                   format::CopyKind::kHostToHost,
                                   format::CopyKind::kPeer};

// Sets start and duration; false, and one record lost, when they cannot be true. CUPTI leaves 0
// where it could not measure or had to hand out a record of work that still ran.
template <class Record>
bool set_times(Record& record, std::uint64_t start, std::uint64_t end) noexcept {
  if (start == 0 || end < start) {
    loss(format::LossCause::kGpuInvalid, 1, end == 0 ? "has no times" : "ends before it starts");
    return false;
  }
  record.start = start;
  record.duration = end - start;
  return true;
}

std::uint32_t queue_of(const std::uint8_t* activity, std::size_t device, std::size_t context,
                       std::size_t stream) noexcept {
  format::Queue queue;
  queue.device = read<std::uint32_t>(activity, device);
  queue.context = read<std::uint32_t>(activity, context);
  queue.stream = read<std::uint32_t>(activity, stream);
  return intern(queue);
}

std::uint32_t config_of(const std::uint8_t* a) noexcept {
  const auto number = [a](std::size_t at) { return read<std::uint32_t>(a, at); };
  const char* const name = read<const char*>(a, kernel::kName);
  format::LaunchConfig c;
  c.kernel = name != nullptr ? intern(std::string_view(name)) : 0;
  c.grid_x = number(kernel::kGrid);
  c.grid_y = number(kernel::kGrid + 4);
  c.grid_z = number(kernel::kGrid + 8);
  c.block_x = number(kernel::kBlock);
  c.block_y = number(kernel::kBlock + 4);
  c.block_z = number(kernel::kBlock + 8);
  c.shared_static = number(kernel::kSharedStatic);
  c.shared_dynamic = number(kernel::kSharedDynamic);
  c.cluster_x = number(kernel::kCluster);
  c.cluster_y = number(kernel::kCluster + 4);
  c.cluster_z = number(kernel::kCluster + 8);
  c.registers = read<std::uint16_t>(a, kernel::kRegisters);
  return intern(c);
}

void record_kernel(const std::uint8_t* a) noexcept {
  format::GpuKernel record;
  if (!set_times(record, read<std::uint64_t>(a, kernel::kStart),
                 read<std::uint64_t>(a, kernel::kEnd)))
    return;
  record.config = config_of(a);
  record.correlation = read<std::uint32_t>(a, kernel::kCorrelation);
  record.graph = read<std::uint32_t>(a, kernel::kGraph);
  record.node = read<std::uint64_t>(a, kernel::kGraphNode);
  emit_device(queue_of(a, kernel::kDevice, kernel::kContext, kernel::kStream), record);
}

void record_copy(const std::uint8_t* a, std::size_t correlation, std::size_t node,
                 std::size_t graph) noexcept {
  format::GpuCopy record;
  if (!set_times(record, read<std::uint64_t>(a, copy::kStart), read<std::uint64_t>(a, copy::kEnd)))
    return;
  const auto kind = read<std::uint8_t>(a, copy::kCopyKind);
  if (kind < kCopyKinds.size()) record.copy_kind = kCopyKinds[kind];
  record.bytes = read<std::uint64_t>(a, copy::kBytes);
  record.correlation = read<std::uint32_t>(a, correlation);
  record.graph = read<std::uint32_t>(a, graph);
  record.node = read<std::uint64_t>(a, node);
  emit_device(queue_of(a, copy::kDevice, copy::kContext, copy::kStream), record);
}

void record_set(const std::uint8_t* a) noexcept {
  format::GpuSet record;
  if (!set_times(record, read<std::uint64_t>(a, set::kStart), read<std::uint64_t>(a, set::kEnd)))
    return;
  record.bytes = read<std::uint64_t>(a, set::kBytes);
  record.correlation = read<std::uint32_t>(a, set::kCorrelation);
  record.graph = read<std::uint32_t>(a, set::kGraph);
  record.node = read<std::uint64_t>(a, set::kGraphNode);
  emit_device(queue_of(a, set::kDevice, set::kContext, set::kStream), record);
}

}  // namespace

void record_activity(const std::uint8_t* activity) noexcept {
  switch (read<std::uint32_t>(activity, kKind)) {
    case kKernel:
    case kConcurrentKernel:
      return record_kernel(activity);
    case kMemcpy:
      return record_copy(activity, copy::kCorrelation, copy::kGraphNode, copy::kGraph);
    case kMemcpyPeer:
      return record_copy(activity, peer_copy::kCorrelation, peer_copy::kGraphNode,
                         peer_copy::kGraph);
    case kMemset:
      return record_set(activity);
    default:
      return;
  }
}

}  // namespace mfushim::shim::cupti
