// FLOPs by the textbook, and the truth about what ran.
#include "operation.hpp"

#include <cstdio>

#include "sim_driver.hpp"

namespace mfusim::cudnn {
namespace {

struct TypeRow {
  cudnnDataType_t type;
  const char* name;
  int bytes;
  int pipe;
};
constexpr TypeRow kTypes[] = {
    {CUDNN_DATA_FLOAT, "CUDNN_DATA_FLOAT", 4, CUDA_R_32F},
    {CUDNN_DATA_DOUBLE, "CUDNN_DATA_DOUBLE", 8, CUDA_R_64F},
    {CUDNN_DATA_HALF, "CUDNN_DATA_HALF", 2, CUDA_R_16F},
    {CUDNN_DATA_BFLOAT16, "CUDNN_DATA_BFLOAT16", 2, CUDA_R_16BF},
    {CUDNN_DATA_INT8, "CUDNN_DATA_INT8", 1, CUDA_R_8I},
    {CUDNN_DATA_UINT8, "CUDNN_DATA_UINT8", 1, CUDA_R_8I},
    {CUDNN_DATA_INT32, "CUDNN_DATA_INT32", 4, CUDA_R_8I},
    {CUDNN_DATA_INT64, "CUDNN_DATA_INT64", 8, CUDA_R_8I},
    {CUDNN_DATA_BOOLEAN, "CUDNN_DATA_BOOLEAN", 1, CUDA_R_8I},
    {CUDNN_DATA_FP8_E4M3, "CUDNN_DATA_FP8_E4M3", 1, CUDA_R_8F_E4M3},
    {CUDNN_DATA_FP8_E5M2, "CUDNN_DATA_FP8_E5M2", 1, CUDA_R_8F_E5M2},
};
constexpr TypeRow kOtherType{CUDNN_DATA_FLOAT, "other", 1, -1};

const TypeRow& row_of(cudnnDataType_t type) {
  for (const TypeRow& row : kTypes) {
    if (row.type == type) return row;
  }
  return kOtherType;
}

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::kConvForward:
      return "conv_fwd";
    case Kind::kConvData:
      return "conv_dgrad";
    case Kind::kConvFilter:
      return "conv_wgrad";
    case Kind::kMatmul:
      return "matmul";
    case Kind::kAttentionForward:
      return "sdpa_fwd";
    case Kind::kAttentionBackward:
      return "sdpa_bwd";
    case Kind::kRnnForward:
      return "rnn_fwd";
    case Kind::kRnnData:
      return "rnn_dgrad";
    case Kind::kRnnWeights:
      return "rnn_wgrad";
    case Kind::kOther:
      return "other";
    case Kind::kUnknown:
      break;
  }
  return "unknown";
}

}  // namespace

double flops_of(const Operation& o) {
  const auto product = [](auto... value) { return (static_cast<double>(value) * ...); };
  switch (o.kind) {
    case Kind::kConvForward:
    case Kind::kConvData:
    case Kind::kConvFilter:
      return 2 * product(o.batch, o.m, o.n, o.k, o.window) / static_cast<double>(o.groups);
    case Kind::kMatmul:
      return 2 * product(o.batch, o.m, o.n, o.k);
    case Kind::kAttentionForward:  // Q K', P V
      return 2 * product(o.batch, o.groups, o.m, o.n, o.k + o.l);
    case Kind::kAttentionBackward:  // Q K' again, dO V', P' dO, dS K, dS' Q
      return 2 * product(o.batch, o.groups, o.m, o.n, 3 * o.k + 2 * o.l);
    case Kind::kRnnForward:
    case Kind::kRnnData:
    case Kind::kRnnWeights:
      return 2 * product(o.n, o.k);
    case Kind::kOther:
    case Kind::kUnknown:
      break;
  }
  return 0;
}

int data_type_bytes(cudnnDataType_t type) {
  return row_of(type).bytes;
}

int pipe_of(cudnnDataType_t type) {
  return row_of(type).pipe;
}

void tell(const Call& call) {
  if (!library::keeps_truth()) return;
  for (size_t i = 0; i < call.operations.size(); ++i) {
    const Operation& o = call.operations[i];
    char line[512];
    std::snprintf(
        line, sizeof line,
        R"({"t":"operation","api":"%s","kind":"%s","batch":%lld,"groups":%lld,"m":%lld,"n":%lld,)"
        R"("k":%lld,"l":%lld,"window":%lld,"dtype":"%s","flops":%.0f,"part":%zu,"parts":%zu,)"
        R"("launches":%d,"captured":%d,"piece":%llu,"kernels":%u})",
        call.api, name_of(o.kind), static_cast<long long>(o.batch),
        static_cast<long long>(o.groups), static_cast<long long>(o.m), static_cast<long long>(o.n),
        static_cast<long long>(o.k), static_cast<long long>(o.l), static_cast<long long>(o.window),
        row_of(o.type).name, flops_of(o), i, call.operations.size(), call.launches,
        call.captured ? 1 : 0, static_cast<unsigned long long>(call.piece.number()),
        call.piece.kernels());
    library::truth(line);
  }
}

}  // namespace mfusim::cudnn
