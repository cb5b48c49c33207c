// The tables behind the names, and how names are stripped to meet them.
#include "read/import_kineto_names.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

#include "mfushim/format/api.hpp"

namespace mfushim::read {

namespace {

using format::CollectiveOp;
using format::CopyKind;
using format::DType;
using format::Kind;

using format::ApiClass;

// The calls that the recorder intercepts, by name.
const std::unordered_map<std::string_view, ApiClass>& intercepted() {
  static const auto classes = [] {
    std::unordered_map<std::string_view, ApiClass> result;
    for (const format::ApiRow& row : format::kApis) result.emplace(row.name, row.api_class);
    return result;
  }();
  return classes;
}

std::optional<Kind> record_of(ApiClass api_class) {
  switch (api_class) {
    case ApiClass::kLaunch:
      return Kind::kLaunch;
    case ApiClass::kGraphLaunch:
      return Kind::kGraphLaunch;
    case ApiClass::kCopy:
      return Kind::kCopy;
    case ApiClass::kSet:
      return Kind::kSet;
    case ApiClass::kSync:
      return Kind::kSync;
    case ApiClass::kHostFunc:
    case ApiClass::kAlloc:
    case ApiClass::kGraph:
      return Kind::kCall;
    default:
      return std::nullopt;
  }
}

template <class Row, std::size_t kCount>
const Row* find_row(const std::array<Row, kCount>& rows, std::string_view name) {
  const auto at =
      std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.name == name; });
  return at == rows.end() ? nullptr : &*at;
}

constexpr std::array<ProductOperator, 11> kProducts = {{
    {"aten::mm", 0, 1, false},
    {"aten::addmm", 1, 2, true},
    {"aten::bmm", 0, 1, false},
    {"aten::baddbmm", 1, 2, true},
    {"aten::_addmm_activation", 1, 2, true},
    {"aten::mv", 0, 1, false},
    {"aten::addmv", 1, 2, true},
    {"aten::addbmm", 1, 2, true},
    {"aten::_scaled_mm", 0, 1, false},
    {"aten::_int_mm", 0, 1, false},
    {"aten::_sparse_semi_structured_mm", 0, 1, false},
}};

struct CollectiveName {
  std::string_view name;  // in lower case, without underscores and what the tables below strip
  CollectiveOp op;
};

constexpr std::array<CollectiveName, 14> kCollectives = {{
    {"allreduce", CollectiveOp::kAllReduce},
    {"allreducesparse", CollectiveOp::kAllReduce},
    {"reduce", CollectiveOp::kReduce},
    {"broadcast", CollectiveOp::kBroadcast},
    {"allgather", CollectiveOp::kAllGather},
    {"reducescatter", CollectiveOp::kReduceScatter},
    {"alltoall", CollectiveOp::kAllToAll},
    {"alltoallv", CollectiveOp::kAllToAll},
    {"gather", CollectiveOp::kGather},
    {"scatter", CollectiveOp::kScatter},
    {"send", CollectiveOp::kSend},
    {"recv", CollectiveOp::kRecv},
    {"isend", CollectiveOp::kSend},
    {"irecv", CollectiveOp::kRecv},
}};

struct TypeName {
  std::string_view name;  // in lower case, without "c10::"
  DType type;
};

constexpr std::array<TypeName, 29> kTypes = {{
    {"float", DType::kF32},
    {"double", DType::kF64},
    {"half", DType::kF16},
    {"bfloat16", DType::kBf16},
    {"int", DType::kI32},
    {"long", DType::kI64},
    {"long int", DType::kI64},
    {"short", DType::kI16},
    {"short int", DType::kI16},
    {"signed char", DType::kI8},
    {"char", DType::kI8},
    {"unsigned char", DType::kU8},
    {"byte", DType::kU8},
    {"bool", DType::kU8},
    {"float8_e4m3fn", DType::kF8E4M3},
    {"float8_e4m3fnuz", DType::kF8E4M3},
    {"float8_e5m2", DType::kF8E5M2},
    {"float8_e5m2fnuz", DType::kF8E5M2},
    {"float8_e8m0fnu", DType::kF8E8M0},
    {"float4_e2m1fn_x2", DType::kF4E2M1},
    {"complex<float>", DType::kC64},
    {"complex<double>", DType::kUnknown},
    {"complexfloat", DType::kC64},
    {"float16", DType::kF16},
    {"float32", DType::kF32},
    {"float64", DType::kF64},
    {"int32", DType::kI32},
    {"int64", DType::kI64},
    {"uint8", DType::kU8},
}};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  return result;
}

void erase_all(std::string& text, std::string_view part) {
  for (std::size_t at; (at = text.find(part)) != std::string::npos;) text.erase(at, part.size());
}

}  // namespace

std::optional<Kind> call_kind(std::string_view name) {
  if (const auto known = intercepted().find(name); known != intercepted().end())
    return record_of(known->second);
  // Other versions' and HIP's names say what they do behind their prefix.
  std::string_view call = name;
  for (const std::string_view prefix : {"cuda", "hip", "cu"})
    if (name.starts_with(prefix)) {
      call = name.substr(prefix.size());
      break;
    }
  const auto has = [&](std::string_view part) { return call.find(part) != call.npos; };
  if (has("GraphLaunch")) return Kind::kGraphLaunch;
  if (has("LaunchKernel") || has("LaunchCooperativeKernel")) return Kind::kLaunch;
  if (call.starts_with("Memcpy")) return Kind::kCopy;
  if (call.starts_with("Memset")) return Kind::kSet;
  if (has("Synchronize")) return Kind::kSync;
  if (call.starts_with("Malloc") || call.starts_with("Free") || call.starts_with("HostMalloc"))
    return Kind::kCall;
  return std::nullopt;
}

const ProductOperator* product_operator(std::string_view name) {
  return find_row(kProducts, name);
}

std::optional<CollectiveOp> collective_op(std::string_view name) {
  std::string plain = lower(name);
  // Tensor forms, coalesced forms and c10d's private names move the same bytes.
  for (const std::string_view part :
       {"nccl:", "c10d::", "_into_tensor", "_tensor", "_coalesced", "_base", "_single", "_"})
    erase_all(plain, part);
  const CollectiveName* const row = find_row(kCollectives, plain);
  return row ? std::optional(row->op) : std::nullopt;
}

DType element_type(std::string_view name) {
  std::string plain = lower(name);
  erase_all(plain, "c10::");
  const TypeName* const row = find_row(kTypes, plain);
  return row ? row->type : DType::kUnknown;
}

CopyKind copy_kind(std::string_view name) {
  struct Direction {
    std::string_view text;
    CopyKind kind;
  };
  constexpr std::array<Direction, 6> kDirections = {{{"HtoD", CopyKind::kHostToDevice},
                                                     {"DtoH", CopyKind::kDeviceToHost},
                                                     {"DtoD", CopyKind::kDeviceToDevice},
                                                     {"HtoH", CopyKind::kHostToHost},
                                                     {"PtoP", CopyKind::kPeer},
                                                     {"AtoA", CopyKind::kArray}}};
  for (const Direction& direction : kDirections)
    if (name.find(direction.text) != name.npos) return direction.kind;
  return CopyKind::kUnknown;
}

}  // namespace mfushim::read
