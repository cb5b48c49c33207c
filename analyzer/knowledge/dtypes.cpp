// Sizes of element types; the bandwidth accounting of NVIDIA/nccl-tests (doc/PERFORMANCE.md).
#include "knowledge/dtypes.hpp"

namespace mfushim::knowledge {

using format::CollectiveOp;
using format::DType;

unsigned dtype_bits(DType dtype) {
  switch (dtype) {
    case DType::kUnknown:
      return 0;
    case DType::kI4:
    case DType::kU4:
    case DType::kF4E2M1:
      return 4;
    case DType::kF6E2M3:
    case DType::kF6E3M2:
      return 6;
    case DType::kF8E4M3:
    case DType::kF8E5M2:
    case DType::kF8E8M0:
    case DType::kI8:
    case DType::kU8:
    case DType::kCI4:
    case DType::kCU4:
      return 8;
    case DType::kF16:
    case DType::kBf16:
    case DType::kI16:
    case DType::kU16:
    case DType::kCI8:
    case DType::kCU8:
      return 16;
    case DType::kF32:
    case DType::kTf32:
    case DType::kI32:
    case DType::kU32:
    case DType::kC16:
    case DType::kCBf16:
    case DType::kCI16:
    case DType::kCU16:
      return 32;
    case DType::kF64:
    case DType::kI64:
    case DType::kU64:
    case DType::kC32:
    case DType::kCI32:
    case DType::kCU32:
      return 64;
    case DType::kC64:
    case DType::kCI64:
    case DType::kCU64:
      return 128;
  }
  return 0;
}

bool is_complex(DType dtype) {
  return dtype >= DType::kC64 && dtype <= DType::kCU4;
}

std::optional<std::uint64_t> collective_bytes(CollectiveOp op, DType dtype, std::uint64_t count,
                                              std::int32_t ranks) {
  if (op == CollectiveOp::kSignal || op == CollectiveOp::kWaitSignal) return 0;
  const unsigned bits = dtype_bits(dtype);
  if (bits == 0) return std::nullopt;
  const std::uint64_t bytes = count * bits / 8;
  switch (op) {
    case CollectiveOp::kAllReduce:
    case CollectiveOp::kReduce:
    case CollectiveOp::kBroadcast:
    case CollectiveOp::kSend:
    case CollectiveOp::kRecv:
    case CollectiveOp::kPut:
      return bytes;
    case CollectiveOp::kAllGather:
    case CollectiveOp::kReduceScatter:
    case CollectiveOp::kAllToAll:
    case CollectiveOp::kGather:
    case CollectiveOp::kScatter:
      if (ranks <= 0) return std::nullopt;
      return bytes * static_cast<std::uint64_t>(ranks);
    case CollectiveOp::kSignal:
    case CollectiveOp::kWaitSignal:
    case CollectiveOp::kUnknown:
      break;
  }
  return std::nullopt;
}

std::optional<double> bus_factor(CollectiveOp op, std::int32_t ranks) {
  if (ranks <= 0) return std::nullopt;
  const double n = ranks;
  switch (op) {
    case CollectiveOp::kAllReduce:
      return 2 * (n - 1) / n;
    case CollectiveOp::kAllGather:
    case CollectiveOp::kReduceScatter:
    case CollectiveOp::kAllToAll:
    case CollectiveOp::kGather:
    case CollectiveOp::kScatter:
      return (n - 1) / n;
    case CollectiveOp::kReduce:
    case CollectiveOp::kBroadcast:
    case CollectiveOp::kSend:
    case CollectiveOp::kRecv:
    case CollectiveOp::kPut:
    case CollectiveOp::kSignal:
    case CollectiveOp::kWaitSignal:
      return 1;
    case CollectiveOp::kUnknown:
      break;
  }
  return std::nullopt;
}

}  // namespace mfushim::knowledge
