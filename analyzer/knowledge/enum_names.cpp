// One table of words per enumeration, indexed by value.
#include "knowledge/enum_names.hpp"

#include <array>
#include <cstddef>

namespace mfushim::knowledge {

namespace {

using namespace std::string_view_literals;

template <class Enum, std::size_t kCount>
std::string_view lookup(const std::array<std::string_view, kCount>& names, Enum v) {
  const auto at = static_cast<std::size_t>(v);
  return at < kCount ? names[at] : std::string_view{};
}

constexpr std::array kDTypes = {
    "unknown"sv, "f64"sv,    "f32"sv,    "tf32"sv,   "f16"sv,  "bf16"sv, "f8e4m3"sv, "f8e5m2"sv,
    "f8e8m0"sv,  "f6e2m3"sv, "f6e3m2"sv, "f4e2m1"sv, "i64"sv,  "u64"sv,  "i32"sv,    "u32"sv,
    "i16"sv,     "u16"sv,    "i8"sv,     "u8"sv,     "i4"sv,   "u4"sv,   "c64"sv,    "c32"sv,
    "c16"sv,     "cbf16"sv,  "ci8"sv,    "cu8"sv,    "ci32"sv, "cu32"sv, "ci16"sv,   "cu16"sv,
    "ci64"sv,    "cu64"sv,   "ci4"sv,    "cu4"sv};
static_assert(kDTypes.size() == static_cast<std::size_t>(format::DType::kCU4) + 1);

constexpr std::array kCopyKinds = {"unknown"sv,        "host_to_host"sv,     "host_to_device"sv,
                                   "device_to_host"sv, "device_to_device"sv, "peer"sv,
                                   "array"sv};
static_assert(kCopyKinds.size() == static_cast<std::size_t>(format::CopyKind::kArray) + 1);

constexpr std::array kCollectiveOps = {
    "unknown"sv,        "all_reduce"sv, "reduce"sv, "broadcast"sv,  "all_gather"sv,
    "reduce_scatter"sv, "all_to_all"sv, "gather"sv, "scatter"sv,    "send"sv,
    "recv"sv,           "put"sv,        "signal"sv, "wait_signal"sv};
static_assert(kCollectiveOps.size() ==
              static_cast<std::size_t>(format::CollectiveOp::kWaitSignal) + 1);

constexpr std::array kReductions = {"none"sv, "sum"sv, "prod"sv,  "max"sv,
                                    "min"sv,  "avg"sv, "custom"sv};
static_assert(kReductions.size() == static_cast<std::size_t>(format::Reduction::kCustom) + 1);

constexpr std::array kProductKinds = {"gemm"sv,  "gemm3m"sv, "syrk"sv,  "herk"sv, "syr2k"sv,
                                      "her2k"sv, "syrkx"sv,  "herkx"sv, "symm"sv, "hemm"sv,
                                      "trmm"sv,  "trsm"sv,   "gemv"sv};
static_assert(kProductKinds.size() == static_cast<std::size_t>(format::ProductKind::kGemv) + 1);

constexpr std::array kOperationKinds = {
    "unknown"sv,  "conv_fwd"sv, "conv_dgrad"sv, "conv_wgrad"sv, "matmul"sv, "sdpa_fwd"sv,
    "sdpa_bwd"sv, "rnn_fwd"sv,  "rnn_dgrad"sv,  "rnn_wgrad"sv,  "other"sv};
static_assert(kOperationKinds.size() ==
              static_cast<std::size_t>(format::OperationKind::kOther) + 1);

constexpr std::array kTransposes = {"n"sv, "t"sv, "c"sv};
static_assert(kTransposes.size() == static_cast<std::size_t>(format::Transpose::kConjugate) + 1);

constexpr std::array kGpuTimeSources = {"none"sv, "cupti"sv, "events"sv, "imported"sv};
static_assert(kGpuTimeSources.size() ==
              static_cast<std::size_t>(format::GpuTimeSource::kImported) + 1);

constexpr std::array kLossCauses = {"unknown"sv,          "ring_full"sv,  "gpu_dropped"sv,
                                    "gpu_invalid"sv,      "size_limit"sv, "write_error"sv,
                                    "not_recorded"sv,     "killed"sv,     "import_skipped"sv,
                                    "definitions_full"sv, "not_timed"sv};
static_assert(kLossCauses.size() == static_cast<std::size_t>(format::LossCause::kNotTimed) + 1);

}  // namespace

std::string_view name_of(format::DType v) {
  return lookup(kDTypes, v);
}
std::string_view name_of(format::CopyKind v) {
  return lookup(kCopyKinds, v);
}
std::string_view name_of(format::CollectiveOp v) {
  return lookup(kCollectiveOps, v);
}
std::string_view name_of(format::Reduction v) {
  return lookup(kReductions, v);
}
std::string_view name_of(format::ProductKind v) {
  return lookup(kProductKinds, v);
}
std::string_view name_of(format::OperationKind v) {
  return lookup(kOperationKinds, v);
}
std::string_view name_of(format::Transpose v) {
  return lookup(kTransposes, v);
}
std::string_view name_of(format::GpuTimeSource v) {
  return lookup(kGpuTimeSources, v);
}
std::string_view name_of(format::LossCause v) {
  return lookup(kLossCauses, v);
}

}  // namespace mfushim::knowledge
