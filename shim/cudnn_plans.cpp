// The tables behind cudnn_plans.hpp: descriptors by handle, and the work of graphs, both bounded.
#include "cudnn_plans.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <span>

#include "cudnn_attributes.hpp"
#include "memo.hpp"
#include "recorder.hpp"

namespace mfushim::shim {

using format::DType;
using format::OperationKind;
using format::OperationShape;

namespace {

constexpr std::size_t kMaxDims = 8;
constexpr std::size_t kRoles = 3;

struct Tensor {
  std::array<std::int64_t, kMaxDims> dims;
  std::size_t rank;
  DType type;
  bool ragged;

  std::uint64_t dim(std::size_t i) const {
    return i < rank && dims[i] > 0 ? static_cast<std::uint64_t>(dims[i]) : 0;
  }
  std::uint64_t last(std::size_t i) const { return i < rank ? dim(rank - 1 - i) : 0; }
  std::uint64_t product(std::size_t from, std::size_t to) const {
    std::uint64_t result = 1;
    for (std::size_t i = from; i < to; ++i) result *= dim(i);
    return result;
  }
};

// The products of a graph, or one shape that says why there is none; never changed once ready.
struct Work {
  static constexpr std::size_t kMaxParts = 8;
  std::atomic<std::uint32_t> state;  // 0: free, 1: being made, 2: ready
  std::uint32_t count;
  std::array<OperationShape, kMaxParts> parts;
};

struct Known {
  std::atomic<const void*> handle;  // null: free
  int type;
  std::uint32_t flags;                 // of OperationShape, for what is made of it
  const Work* work;                    // null: unknown
  std::array<Tensor, kRoles> tensors;  // a tensor's own first; an operation's by role
};

constexpr std::size_t kSets = 512, kWays = 16;
constinit std::array<std::array<Known, kWays>, kSets> g_known{};
constinit std::array<Work, 2048> g_works{};
constinit Memo<8, 256> g_operations;

// Sizes of enumerations that are set by their address.
template <class T>
T first(const void* elements, T otherwise = {}) {
  T value = otherwise;
  if (elements != nullptr) std::memcpy(&value, elements, sizeof value);
  return value;
}

std::array<Known, kWays>& set_of(const void* handle) {
  const auto key = reinterpret_cast<std::uintptr_t>(handle) >> 4;
  return g_known[(key * 0x9e3779b97f4a7c15u >> 40) % kSets];
}

Known* find(const void* handle) {
  if (handle == nullptr) return nullptr;
  for (Known& known : set_of(handle))
    if (known.handle.load(std::memory_order_acquire) == handle) return &known;
  return nullptr;
}

// Which tensor of an operation an attribute is: of a convolution x, w, y, whichever is computed; of
// a product a, b, c; of attention q, k, v; of a grouped product tokens, weights, output.
struct Role {
  int attribute;
  std::size_t role;
};
constexpr Role kTensorRoles[] = {
    {cudnn::kForwardX, 0},     {cudnn::kForwardW, 1},      {cudnn::kForwardY, 2},
    {cudnn::kDataDx, 0},       {cudnn::kDataW, 1},         {cudnn::kDataDy, 2},
    {cudnn::kFilterX, 0},      {cudnn::kFilterDw, 1},      {cudnn::kFilterDy, 2},
    {cudnn::kMatmulA, 0},      {cudnn::kMatmulB, 1},       {cudnn::kMatmulC, 2},
    {cudnn::kForwardQ, 0},     {cudnn::kForwardK, 1},      {cudnn::kForwardV, 2},
    {cudnn::kBackwardQ, 0},    {cudnn::kBackwardK, 1},     {cudnn::kBackwardV, 2},
    {cudnn::kGroupedToken, 0}, {cudnn::kGroupedWeight, 1}, {cudnn::kGroupedOutput, 2}};

// Attributes by which an operation does less than its tensors' sizes say, by lengths on the device.
constexpr int kLengths[] = {
    cudnn::kMatmulOverrideM,      cudnn::kMatmulOverrideN,      cudnn::kMatmulOverrideK,
    cudnn::kForwardBlockMask,     cudnn::kForwardPageTableK,    cudnn::kForwardPageTableV,
    cudnn::kForwardLengthQ,       cudnn::kForwardLengthKv,      cudnn::kForwardTotalLengthQ,
    cudnn::kForwardTotalLengthKv, cudnn::kBackwardLengthQ,      cudnn::kBackwardLengthKv,
    cudnn::kBackwardTotalLengthQ, cudnn::kBackwardTotalLengthKv};

// Operations without a product; what is not here either is unknown.
constexpr int kWithoutProduct[] = {cudnn::kPointwise,
                                   cudnn::kGenStats,
                                   cudnn::kFinalizeStatistics,
                                   cudnn::kReduction,
                                   cudnn::kBackwardWeightsNorm,
                                   cudnn::kResampleForward,
                                   cudnn::kResampleBackward,
                                   cudnn::kConcat,
                                   cudnn::kSignal,
                                   cudnn::kNormForward,
                                   cudnn::kNormBackward,
                                   cudnn::kReshape,
                                   cudnn::kRng,
                                   cudnn::kPagedCacheLoad,
                                   cudnn::kQuantize,
                                   cudnn::kDequantize,
                                   cudnn::kExpandBand,
                                   cudnn::kContractBand,
                                   cudnn::kBandMask,
                                   cudnn::kSoftmax,
                                   cudnn::kTranspose,
                                   cudnn::kSlice,
                                   cudnn::kRopeForward,
                                   cudnn::kRopeBackward};

OperationShape convolution(OperationKind kind, const Known& known) {
  const auto& [x, w, y] = known.tensors;
  OperationShape shape;
  if (x.rank < 3 || w.rank != x.rank || y.rank != x.rank || w.dim(1) == 0) return shape;
  shape.operation = kind;
  shape.dtype = x.type;
  shape.batch = y.dim(0);
  shape.groups = std::max<std::uint64_t>(x.dim(1) / w.dim(1), 1);
  shape.m = y.dim(1);
  shape.n = y.product(2, y.rank);
  shape.k = x.dim(1);
  shape.window = w.product(2, w.rank);
  return shape;
}

OperationShape matmul(const Known& known) {
  const auto& [a, b, c] = known.tensors;
  OperationShape shape;
  if (a.rank < 2 || b.rank < 2 || c.rank < 2) return shape;
  shape.operation = OperationKind::kMatmul;
  shape.dtype = a.type;
  shape.batch = c.product(0, c.rank - 2);
  shape.m = c.last(1);
  shape.n = c.last(0);
  shape.k = a.last(0);
  return shape;
}

OperationShape attention(OperationKind kind, const Known& known) {
  const auto& [q, k, v] = known.tensors;
  OperationShape shape;
  if (q.rank != 4 || k.rank != 4 || v.rank != 4) return shape;
  shape.operation = kind;
  shape.dtype = q.type;
  shape.batch = q.dim(0);
  shape.groups = q.dim(1);
  shape.m = q.dim(2);
  shape.n = k.dim(2);
  shape.k = q.dim(3);
  shape.l = v.dim(3);
  return shape;
}

// However the tokens are shared out among the experts, each meets one matrix.
OperationShape grouped_matmul(const Known& known) {
  const auto& [token, weight, output] = known.tensors;
  OperationShape shape;
  if (token.rank < 2 || weight.rank < 2 || output.rank < 2) return shape;
  shape.operation = OperationKind::kMatmul;
  shape.dtype = token.type;
  shape.m = std::max(token.last(1), output.last(1));
  shape.n = output.last(0);
  shape.k = token.last(0);
  return shape;
}

OperationShape shape_of(const Known& known) {
  OperationShape shape;
  switch (known.type) {
    case cudnn::kConvolutionForward:
      shape = convolution(OperationKind::kConvForward, known);
      break;
    case cudnn::kConvolutionData:
      shape = convolution(OperationKind::kConvData, known);
      break;
    case cudnn::kConvolutionFilter:
      shape = convolution(OperationKind::kConvFilter, known);
      break;
    case cudnn::kMatmul:
      shape = matmul(known);
      break;
    case cudnn::kAttentionForward:
      shape = attention(OperationKind::kAttentionForward, known);
      break;
    case cudnn::kAttentionBackward:
      shape = attention(OperationKind::kAttentionBackward, known);
      break;
    case cudnn::kGroupedMatmul:
      shape = grouped_matmul(known);
      break;
    default:
      if (std::ranges::find(kWithoutProduct, known.type) != std::end(kWithoutProduct))
        shape.operation = OperationKind::kOther;
  }
  shape.flags = known.flags;
  for (const Tensor& tensor : known.tensors)
    if (tensor.ragged) shape.flags |= format::kOperationRagged;
  return shape;
}

std::array<std::uint64_t, 8> words_of(const OperationShape& s) {
  const std::uint64_t kind = static_cast<std::uint64_t>(s.operation) << 16 |
                             static_cast<std::uint64_t>(s.dtype) << 8 | s.flags;
  return {kind, s.batch, s.groups, s.m, s.n, s.k, s.l, s.window};
}

bool same(std::span<const OperationShape> a, std::span<const OperationShape> b) {
  return std::ranges::equal(a, b, {}, words_of, words_of);
}

// The work of these parts, kept for ever: programs make the same graphs again and again.
const Work* keep(std::span<const OperationShape> parts) {
  std::uint64_t hash = parts.size();
  for (const OperationShape& part : parts)
    for (const std::uint64_t word : words_of(part)) hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  for (std::size_t i = 0; i < g_works.size(); ++i) {
    Work& work = g_works[((hash >> 32) + i) % g_works.size()];
    std::uint32_t state = 0;
    if (work.state.compare_exchange_strong(state, 1, std::memory_order_acquire)) {
      work.count = static_cast<std::uint32_t>(parts.size());
      std::ranges::copy(parts, work.parts.begin());
      work.state.store(2, std::memory_order_release);
      return &work;
    }
    // One that is being made is passed by: at worst the same work is there twice.
    if (state == 2 && same(parts, std::span(work.parts).first(work.count))) return &work;
  }
  loss(format::LossCause::kDefinitionsFull, 1, "operation graphs");
  return nullptr;
}

// Attention's backward pass may be a graph of plain products, the scores first: these once more,
// and four gradients, of which that of the weights has the scores' form. Returns how many parts are
// left.
std::size_t join_attention(std::span<OperationShape> parts) {
  OperationShape& whole = parts[0];
  const auto gradient = std::find_if(
      parts.begin() + 1, parts.end(),
      [&](const OperationShape& part) { return part.m == whole.m && part.n == whole.n; });
  if (parts.size() != 5 || gradient == parts.end()) return parts.size();
  std::uint64_t products = 0;
  for (const OperationShape& part : parts) {
    if (part.operation != OperationKind::kMatmul || part.batch != whole.batch) return parts.size();
    products += part.m * part.n * part.k;
  }
  if (products != whole.m * whole.n * (3 * whole.k + 2 * gradient->k)) return parts.size();
  whole.operation = OperationKind::kAttentionBackward;
  whole.l = gradient->k;
  for (const OperationShape& part : parts) whole.flags |= part.flags;
  return 1;
}

// The work of a graph: its products; what is done on the way between them is fused into them.
const Work* work_of(const void* const* operations, std::size_t count) {
  std::array<OperationShape, Work::kMaxParts> parts;
  std::size_t used = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Known* const known = find(operations[i]);
    const OperationShape shape = known != nullptr ? shape_of(*known) : OperationShape{};
    if (shape.operation == OperationKind::kOther) continue;
    if (used == parts.size()) {
      loss(format::LossCause::kDefinitionsFull, 1, "products of one operation graph");
      return nullptr;
    }
    parts[used++] = shape;
  }
  if (used == 0) parts[used++].operation = OperationKind::kOther;
  used = join_attention(std::span(parts).first(used));
  return keep(std::span(parts).first(used));
}

void set_tensor(Known& known, int name, int type, std::int64_t count, const void* elements) {
  Tensor& tensor = known.tensors[0];
  if (name == cudnn::kTensorDims && type == cudnn::kInt64) {
    tensor.rank = static_cast<std::size_t>(count) <= kMaxDims ? static_cast<std::size_t>(count) : 0;
    std::memcpy(tensor.dims.data(), elements, tensor.rank * sizeof tensor.dims[0]);
  } else if (name == cudnn::kTensorType && type == cudnn::kDataType) {
    tensor.type = cudnn_type(first<int>(elements));
  } else if (name == cudnn::kTensorRaggedOffset) {
    tensor.ragged = true;
  }
}

void set_operation(Known& known, int name, const void* const* others) {
  if (std::ranges::find(kLengths, name) != std::end(kLengths))
    known.flags |= format::kOperationRagged;
  const auto* const role = std::ranges::find(kTensorRoles, name, &Role::attribute);
  const Known* const other = role != std::end(kTensorRoles) ? find(others[0]) : nullptr;
  if (other != nullptr && other->type == cudnn::kTensor)
    known.tensors[role->role] = other->tensors[0];
}

}  // namespace

DType cudnn_type(int type) noexcept {
  constexpr DType kTypes[] = {DType::kF32,     DType::kF64,     DType::kF16,     DType::kI8,
                              DType::kI32,     DType::kUnknown, DType::kU8,      DType::kUnknown,
                              DType::kUnknown, DType::kBf16,    DType::kI64,     DType::kUnknown,
                              DType::kF8E4M3,  DType::kF8E5M2,  DType::kUnknown, DType::kF8E8M0,
                              DType::kF4E2M1,  DType::kI4,      DType::kU4,      DType::kU32,
                              DType::kC32,     DType::kC64};
  return type >= 0 && type < static_cast<int>(std::size(kTypes)) ? kTypes[type] : DType::kUnknown;
}

void cudnn_descriptor_made(const void* descriptor, int type) noexcept {
  if (descriptor == nullptr) return;
  cudnn_descriptor_ends(descriptor);
  for (Known& known : set_of(descriptor)) {
    const void* expected = nullptr;
    // Taken under its own address until it is complete.
    if (!known.handle.compare_exchange_strong(expected, &known)) continue;
    known.type = type;
    known.flags = 0;
    known.work = nullptr;
    known.tensors = {};
    known.handle.store(descriptor, std::memory_order_release);
    return;
  }
  loss(format::LossCause::kDefinitionsFull, 1, "cuDNN descriptors");
}

void cudnn_descriptor_ends(const void* descriptor) noexcept {
  if (Known* const known = find(descriptor)) known->handle.store(nullptr);
}

void cudnn_attribute_set(const void* descriptor, int name, int type, std::int64_t count,
                         const void* elements) noexcept {
  Known* const known = find(descriptor);
  if (known == nullptr || elements == nullptr || count <= 0) return;
  if (known->type == cudnn::kTensor) return set_tensor(*known, name, type, count, elements);
  if (name == cudnn::kGraphIsDynamic && type == cudnn::kBoolean && first<bool>(elements))
    known->flags |= format::kOperationDynamic;
  if (name == cudnn::kPackOverrideShapes) known->flags |= format::kOperationDynamic;
  if (name == cudnn::kGroupedMode && first<int>(elements) != 0)
    known->flags |= format::kOperationRagged;
  if (type != cudnn::kDescriptor) return;
  const auto* const others = static_cast<const void* const*>(elements);
  if (name == cudnn::kGraphOperations) {
    known->work = work_of(others, static_cast<std::size_t>(count));
  } else if (const Known* const other = find(others[0]);
             other != nullptr && other->work != nullptr) {
    known->work = other->work;
    known->flags |= other->flags;
  } else {
    set_operation(*known, name, others);
  }
}

void cudnn_descriptors_given(const void* descriptor, const void* const* filled,
                             std::size_t count) noexcept {
  const Known* const from = find(descriptor);
  if (from == nullptr || from->work == nullptr) return;
  for (std::size_t i = 0; i < count; ++i) {
    Known* const known = find(filled[i]);
    if (known == nullptr) continue;
    known->work = from->work;
    known->flags |= from->flags;
  }
}

std::uint32_t cudnn_plan_part(const void* plan, const void* pack, std::uint32_t n) noexcept {
  const Known* const known = find(plan);
  const Known* const variant = find(pack);
  const Work* const work = known != nullptr ? known->work : nullptr;
  if (work == nullptr) return n == 0 ? operation_id({}) : 0;
  if (n >= work->count) return 0;
  OperationShape shape = work->parts[n];
  // What has no product has no sizes that could change.
  if (shape.operation != OperationKind::kOther)
    shape.flags |= known->flags | (variant != nullptr ? variant->flags : 0);
  return operation_id(shape);
}

std::uint32_t operation_id(const OperationShape& shape) noexcept {
  return g_operations.get(words_of(shape), [&] { return intern(shape); });
}

}  // namespace mfushim::shim
