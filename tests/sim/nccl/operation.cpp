// See operation.hpp.
#include "operation.hpp"

#include <algorithm>

#include "sim_driver.hpp"

namespace mfusim::nccl {
namespace {

struct TypeRow {
  ncclDataType_t type;
  size_t bytes;
  const char* name;
  const char* in_kernel;  // signed integers run in the unsigned kernels
};

#define MFUSIM_TYPE(type, bytes, in_kernel) \
  { type, bytes, #type, in_kernel }
constexpr TypeRow kTypes[] = {
    MFUSIM_TYPE(ncclInt8, 1, "u8"),           MFUSIM_TYPE(ncclUint8, 1, "u8"),
    MFUSIM_TYPE(ncclInt32, 4, "u32"),         MFUSIM_TYPE(ncclUint32, 4, "u32"),
    MFUSIM_TYPE(ncclInt64, 8, "u64"),         MFUSIM_TYPE(ncclUint64, 8, "u64"),
    MFUSIM_TYPE(ncclFloat16, 2, "f16"),       MFUSIM_TYPE(ncclFloat32, 4, "f32"),
    MFUSIM_TYPE(ncclFloat64, 8, "f64"),       MFUSIM_TYPE(ncclBfloat16, 2, "bf16"),
#if NCCL_VERSION_CODE >= 22400
    MFUSIM_TYPE(ncclFloat8e4m3, 1, "f8e4m3"), MFUSIM_TYPE(ncclFloat8e5m2, 1, "f8e5m2"),
#endif
};
#undef MFUSIM_TYPE

const TypeRow& row_of(ncclDataType_t type) {
  for (const TypeRow& row : kTypes) {
    if (row.type == type) return row;
  }
  return kTypes[0];
}

// Base and per-hop latency over NVLink and share of the link's rate, after NCCL's own tuning
// constants.
struct Protocol {
  double base_ns, hop_ns, share;
  unsigned block;
};
constexpr Protocol kProtocols[] = {
    {6600, 600, 0.35, 512},    // LL
    {14000, 1900, 0.92, 640},  // LL128
    {8400, 3400, 1.0, 544},    // Simple
};
// Large all-reduces reach 370 GB/s of bus bandwidth on 450 GB/s links.
constexpr double kLinkEfficiency = 0.82;

// Bus bandwidth over algorithm bandwidth, and hops of the ring.
struct Ring {
  double factor;
  int hops;
};
Ring ring_of(Kind kind, int ranks) {
  const double share = static_cast<double>(ranks - 1) / ranks;
  switch (kind) {
    case Kind::kAllReduce:
      return {2 * share, 2 * (ranks - 1)};
    case Kind::kAllGather:
    case Kind::kReduceScatter:
      return {share, ranks - 1};
    case Kind::kAlltoAll:
    case Kind::kGather:
    case Kind::kScatter:
      return {share, 1};
    case Kind::kReduce:
    case Kind::kBroadcast:
      return {ranks > 1 ? 1.0 : 0.0, ranks - 1};
    case Kind::kSend:
    case Kind::kRecv:
    case Kind::kPutSignal:
    case Kind::kSignal:
    case Kind::kWaitSignal:
      return {1, 1};
  }
  return {1, 1};
}

std::string mangled(const std::string& name) {
  return "_Z" + std::to_string(name.size()) + name + "24ncclDevKernelArgsStorageILm4096EE";
}

}  // namespace

size_t type_bytes(ncclDataType_t type) {
  return row_of(type).bytes;
}
const char* type_name(ncclDataType_t type) {
  return row_of(type).name;
}

const char* reduction_name(ncclRedOp_t reduction) {
  constexpr const char* kNames[] = {"ncclSum", "ncclProd", "ncclMax", "ncclMin", "ncclAvg"};
  return reduction >= 0 && reduction < ncclNumOps ? kNames[reduction] : "ncclPreMulSum";
}

size_t accounted_bytes(const Operation& operation, int ranks) {
  const size_t given = operation.count * type_bytes(operation.type);
  switch (operation.kind) {
    case Kind::kAllGather:
    case Kind::kReduceScatter:
    case Kind::kAlltoAll:
    case Kind::kGather:
    case Kind::kScatter:
      return given * static_cast<size_t>(ranks);
    default:
      return given;
  }
}

size_t contributed_bytes(const Operation& operation, int ranks) {
  switch (operation.kind) {
    case Kind::kAllGather:
    case Kind::kGather:
      return operation.count * type_bytes(operation.type);
    default:
      return accounted_bytes(operation, ranks);
  }
}

Transfer transfer_of(const Operation& operation, int ranks) {
  const Ring ring = ring_of(operation.kind, ranks);
  const auto bytes = static_cast<double>(accounted_bytes(operation, ranks));
  const double rate = library::bytes_per_second(library::Rate::kPeerLink) * kLinkEfficiency;
  Transfer best;
  best.ns = 1e18;
  for (const Protocol& protocol : kProtocols) {
    const double ns = protocol.base_ns + ring.hops * protocol.hop_ns +
                      bytes * ring.factor / (rate * protocol.share) * 1e9;
    if (ns < best.ns) best = {ns, protocol.block, 1};
  }
  best.channels = static_cast<unsigned>(std::clamp(bytes / (64 << 10), 1.0, 24.0));
  return best;
}

std::string kernel_name(const Operation& operation) {
  const std::string sum = std::string("_Sum_") + row_of(operation.type).in_kernel;
  switch (operation.kind) {
    case Kind::kAllReduce:
      return mangled("ncclDevKernel_AllReduce" + sum + "_RING_LL");
    case Kind::kReduce:
      return mangled("ncclDevKernel_Reduce" + sum + "_RING_LL");
    case Kind::kReduceScatter:
      return mangled("ncclDevKernel_ReduceScatter" + sum + "_RING_LL");
    case Kind::kBroadcast:
      return mangled("ncclDevKernel_Broadcast_RING_LL");
    case Kind::kAllGather:
      return mangled("ncclDevKernel_AllGather_RING_LL");
    default:
      return mangled("ncclDevKernel_SendRecv");
  }
}

std::string generic_kernel_name() {
  return mangled("ncclDevKernel_Generic");
}

}  // namespace mfusim::nccl
