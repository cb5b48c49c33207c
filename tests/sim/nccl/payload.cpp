// See payload.hpp.
#include "payload.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace mfusim::nccl {
namespace {

// Narrow floating-point types are summed in fp32, as the real kernels do.
template <class T>
using Wide = std::conditional_t<std::is_arithmetic_v<T>, T, float>;

template <class T>
T load(const char* from, size_t index) {
  T value;
  std::memcpy(&value, from + index * sizeof(T), sizeof(T));
  return value;
}

template <class W>
W combine(W a, W b, ncclRedOp_t reduction) {
  switch (reduction) {
    case ncclProd:
      return static_cast<W>(a * b);
    case ncclMax:
      return std::max(a, b);
    case ncclMin:
      return std::min(a, b);
    default:
      return static_cast<W>(a + b);
  }
}

template <class T>
void reduce_as(const Operation& operation, size_t first,
               const std::vector<const char*>& contributions) {
  const bool scaled = operation.reduction >= ncclNumOps;
  auto* out = static_cast<char*>(operation.receive);
  for (size_t i = 0; i < operation.count; ++i) {
    Wide<T> total{};
    for (size_t rank = 0; rank < contributions.size(); ++rank) {
      auto value = static_cast<Wide<T>>(load<T>(contributions[rank], first + i));
      if (scaled) value = static_cast<Wide<T>>(static_cast<double>(value) * operation.scale);
      total = rank == 0 ? value : combine(total, value, operation.reduction);
    }
    if (operation.reduction == ncclAvg) {
      total = static_cast<Wide<T>>(total / static_cast<Wide<T>>(contributions.size()));
    }
    const T result = static_cast<T>(total);
    std::memcpy(out + i * sizeof(T), &result, sizeof(T));
  }
}

// first: index of the first element that this rank gets.
void reduce(const Operation& operation, size_t first,
            const std::vector<const char*>& contributions) {
  switch (operation.type) {
    case ncclInt8:
      return reduce_as<int8_t>(operation, first, contributions);
    case ncclUint8:
      return reduce_as<uint8_t>(operation, first, contributions);
    case ncclInt32:
      return reduce_as<int32_t>(operation, first, contributions);
    case ncclUint32:
      return reduce_as<uint32_t>(operation, first, contributions);
    case ncclInt64:
      return reduce_as<int64_t>(operation, first, contributions);
    case ncclUint64:
      return reduce_as<uint64_t>(operation, first, contributions);
    case ncclFloat16:
      return reduce_as<__half>(operation, first, contributions);
    case ncclFloat32:
      return reduce_as<float>(operation, first, contributions);
    case ncclFloat64:
      return reduce_as<double>(operation, first, contributions);
    case ncclBfloat16:
      return reduce_as<__nv_bfloat16>(operation, first, contributions);
#if NCCL_VERSION_CODE >= 22400
    case ncclFloat8e4m3:
      return reduce_as<__nv_fp8_e4m3>(operation, first, contributions);
    case ncclFloat8e5m2:
      return reduce_as<__nv_fp8_e5m2>(operation, first, contributions);
#endif
    default:
      return;
  }
}

}  // namespace

void deliver(const Operation& operation, int rank, const std::vector<const char*>& contributions) {
  const size_t bytes = operation.count * type_bytes(operation.type);
  const auto here = static_cast<size_t>(rank);
  auto* out = static_cast<char*>(operation.receive);
  switch (operation.kind) {
    case Kind::kAllReduce:
      return reduce(operation, 0, contributions);
    case Kind::kReduce:
      if (rank == operation.peer) reduce(operation, 0, contributions);
      return;
    case Kind::kReduceScatter:
      return reduce(operation, here * operation.count, contributions);
    case Kind::kBroadcast:
      std::memcpy(out, contributions[static_cast<size_t>(operation.peer)], bytes);
      return;
    case Kind::kScatter:
      std::memcpy(out, contributions[static_cast<size_t>(operation.peer)] + here * bytes, bytes);
      return;
    case Kind::kGather:
      if (rank != operation.peer) return;
      [[fallthrough]];
    case Kind::kAllGather:
      for (size_t from = 0; from < contributions.size(); ++from) {
        std::memcpy(out + from * bytes, contributions[from], bytes);
      }
      return;
    case Kind::kAlltoAll:
      for (size_t from = 0; from < contributions.size(); ++from) {
        std::memcpy(out + from * bytes, contributions[from] + here * bytes, bytes);
      }
      return;
    case Kind::kSend:
    case Kind::kRecv:
    case Kind::kPutSignal:
    case Kind::kSignal:
    case Kind::kWaitSignal:
      return;
  }
}

}  // namespace mfusim::nccl
