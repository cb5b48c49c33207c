// NCCL: collectives and messages with their communicators, and the groups that hold them back.
// What is here for ncclX is for pncclX and ncclXConfig as well (`plain` in rows.hpp).
#include "mfushim/format/api.hpp"
#include "thunk.hpp"

#define MFUSHIM_ROWS "mfushim/format/apis_nccl.def"
#define MFUSHIM_API(symbol, ...) struct symbol;
#include MFUSHIM_ROWS
#undef MFUSHIM_API

#include <nccl.h>
#include <unistd.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"  // the structs of their names
#include "declarations_nccl.hpp"
#pragma GCC diagnostic pop

#include "communicators.hpp"
#include "memo.hpp"
#include "streams.hpp"

static_assert(NCCL_VERSION_CODE == MFUSHIM_NCCL_VERSION, "entries.S was built for other headers");

namespace mfushim::shim {

using format::Api;
using format::CollectiveOp;
using format::DType;
using format::Reduction;
using enum format::Api;

namespace {

// By value of ncclDataType_t.
constexpr DType kTypes[] = {DType::kI8,  DType::kU8,   DType::kI32,    DType::kU32,
                            DType::kI64, DType::kU64,  DType::kF16,    DType::kF32,
                            DType::kF64, DType::kBf16, DType::kF8E4M3, DType::kF8E5M2};
constexpr std::size_t kTypeSizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
static_assert(kTypes[ncclUint64] == DType::kU64 && kTypes[ncclFloat64] == DType::kF64 &&
              kTypes[ncclBfloat16] == DType::kBf16);

// By value of ncclRedOp_t; others are made by the program.
constexpr Reduction kReductions[] = {Reduction::kSum, Reduction::kProd, Reduction::kMax,
                                     Reduction::kMin, Reduction::kAvg};
static_assert(kReductions[ncclMin] == Reduction::kMin && kReductions[ncclAvg] == Reduction::kAvg);

constinit Memo<3, 256> g_shapes;

struct Group {
  std::uint32_t depth = 0;
  std::uint32_t id = 0;
};
MFUSHIM_THREAD_LOCAL Group t_group{};
constinit std::atomic<std::uint32_t> g_groups{0};

constexpr std::uint32_t kNoType = ~0u;

struct CollectiveCall {
  CollectiveOp op;
  const void* send;
  const void* receive;
  std::size_t count;
  std::uint32_t type;  // ncclDataType_t, or kNoType
  Reduction reduction;
  int peer;
  ncclComm_t communicator;
  cudaStream_t stream;
};

Reduction reduction(ncclRedOp_t op) {
  const auto index = static_cast<std::size_t>(op);
  return index < std::size(kReductions) ? kReductions[index] : Reduction::kCustom;
}

// These meet no call of another rank, and have no number.
bool is_one_sided(CollectiveOp op) {
  return op == CollectiveOp::kPut || op == CollectiveOp::kSignal || op == CollectiveOp::kWaitSignal;
}

// Whether the call works in one buffer, as NCCL defines it for each operation.
bool is_in_place(const CollectiveCall& call, std::int32_t rank) {
  const std::size_t block =
      rank >= 0 && call.type < std::size(kTypeSizes) ? call.count * kTypeSizes[call.type] : 0;
  const char* const send = static_cast<const char*>(call.send);
  const char* const receive = static_cast<const char*>(call.receive);
  switch (call.op) {
    case CollectiveOp::kSend:
    case CollectiveOp::kRecv:
    case CollectiveOp::kPut:
    case CollectiveOp::kSignal:
    case CollectiveOp::kWaitSignal:
      return false;
    case CollectiveOp::kAllGather:
    case CollectiveOp::kGather:
      return send == receive + block * static_cast<std::size_t>(rank);
    case CollectiveOp::kReduceScatter:
    case CollectiveOp::kScatter:
      return receive == send + block * static_cast<std::size_t>(rank);
    default:
      return send == receive;
  }
}

// The communicator of a call. One whose making was not seen has hash 0; a split one learns its rank
// here, when it is ready for sure.
CommunicatorState* used_communicator(const Target& target, ncclComm_t handle) {
  CommunicatorState* c = find_communicator(handle);
  if (c == nullptr) c = communicator_made(handle, 0, 0, -1, -1);
  if (c != nullptr && c->rank < 0) {
    int rank = -1, size = -1;
    const auto get_rank = MFUSHIM_REAL(target, ncclCommUserRank);
    const auto get_size = MFUSHIM_REAL(target, ncclCommCount);
    if (get_rank != nullptr && get_rank(handle, &rank) == ncclSuccess) c->rank = rank;
    if (get_size != nullptr && get_size(handle, &size) == ncclSuccess) c->size = size;
  }
  return c;
}

void set_collective(const Target& target, Details& d, const CollectiveCall& call) {
  CommunicatorState* const c =
      call.communicator != nullptr ? used_communicator(target, call.communicator) : nullptr;
  if (c != nullptr) {
    format::CollectiveShape shape;
    shape.communicator = communicator_id(*c);
    shape.op = call.op;
    shape.dtype = call.type < std::size(kTypes) ? kTypes[call.type] : DType::kUnknown;
    shape.reduction = call.reduction;
    shape.count = call.count;
    shape.peer = call.peer;
    shape.in_place = is_in_place(call, c->rank);
    const std::uint64_t kind = static_cast<std::uint64_t>(shape.op) << 32 |
                               static_cast<std::uint64_t>(shape.dtype) << 16 |
                               static_cast<std::uint64_t>(shape.reduction) << 8 | shape.in_place;
    const std::uint64_t who =
        std::uint64_t{shape.communicator} << 32 | static_cast<std::uint32_t>(shape.peer);
    d.subject = g_shapes.get({who, shape.count, kind}, [&] { return intern(shape); });
    if (call.op == CollectiveOp::kSend || call.op == CollectiveOp::kRecv)
      d.number = next_message(*c, call.op == CollectiveOp::kSend, call.peer);
    else if (!is_one_sided(call.op))
      d.number = c->collectives.fetch_add(1, std::memory_order_relaxed);
  }
  d.group = t_group.depth != 0 ? t_group.id : 0;
  set_stream(d, call.stream);
}

}  // namespace

// Collectives and messages.

static void describe(Tag<ncclAllReduce>, const Target& target, Details& d, const void* send,
                     void* receive, std::size_t count, ncclDataType_t type, ncclRedOp_t op,
                     ncclComm_t comm, cudaStream_t stream, auto...) {
  set_collective(
      target, d,
      {CollectiveOp::kAllReduce, send, receive, count, type, reduction(op), -1, comm, stream});
}
static void describe(Tag<ncclReduceScatter>, const Target& target, Details& d, const void* send,
                     void* receive, std::size_t count, ncclDataType_t type, ncclRedOp_t op,
                     ncclComm_t comm, cudaStream_t stream, auto...) {
  set_collective(
      target, d,
      {CollectiveOp::kReduceScatter, send, receive, count, type, reduction(op), -1, comm, stream});
}
static void describe(Tag<ncclReduce>, const Target& target, Details& d, const void* send,
                     void* receive, std::size_t count, ncclDataType_t type, ncclRedOp_t op,
                     int root, ncclComm_t comm, cudaStream_t stream, auto...) {
  set_collective(
      target, d,
      {CollectiveOp::kReduce, send, receive, count, type, reduction(op), root, comm, stream});
}
static void describe(Tag<ncclBcast>, const Target& target, Details& d, void* buffer,
                     std::size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                     cudaStream_t stream) {
  set_collective(target, d,
                 {CollectiveOp::kBroadcast, buffer, buffer, count, type, Reduction::kNone, root,
                  comm, stream});
}

template <Api api>
requires AnyOf<api, ncclAllGather, ncclAlltoAll>
void describe(Tag<api>, const Target& target, Details& d, const void* send, void* receive,
              std::size_t count, ncclDataType_t type, ncclComm_t comm, cudaStream_t stream,
              auto...) {
  constexpr auto kOp = api == ncclAllGather ? CollectiveOp::kAllGather : CollectiveOp::kAllToAll;
  set_collective(target, d, {kOp, send, receive, count, type, Reduction::kNone, -1, comm, stream});
}

template <Api api>
requires AnyOf<api, ncclBroadcast, ncclGather, ncclScatter>
void describe(Tag<api>, const Target& target, Details& d, const void* send, void* receive,
              std::size_t count, ncclDataType_t type, int root, ncclComm_t comm,
              cudaStream_t stream, auto...) {
  constexpr auto kOp = api == ncclBroadcast ? CollectiveOp::kBroadcast
                       : api == ncclGather  ? CollectiveOp::kGather
                                            : CollectiveOp::kScatter;
  set_collective(target, d,
                 {kOp, send, receive, count, type, Reduction::kNone, root, comm, stream});
}

template <Api api>
requires AnyOf<api, ncclSend, ncclRecv>
void describe(Tag<api>, const Target& target, Details& d, auto buffer, std::size_t count,
              ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream) {
  constexpr auto kOp = api == ncclSend ? CollectiveOp::kSend : CollectiveOp::kRecv;
  set_collective(target, d,
                 {kOp, buffer, buffer, count, type, Reduction::kNone, peer, comm, stream});
}

// One-sided calls: what is put, and where signals go to or come from.

static void describe(Tag<ncclPutSignal>, const Target& target, Details& d, const void* buffer,
                     std::size_t count, ncclDataType_t type, int peer, auto, std::size_t, int, int,
                     unsigned, ncclComm_t comm, cudaStream_t stream) {
  set_collective(
      target, d,
      {CollectiveOp::kPut, buffer, nullptr, count, type, Reduction::kNone, peer, comm, stream});
}
static void describe(Tag<ncclSignal>, const Target& target, Details& d, int peer, int, int,
                     unsigned, ncclComm_t comm, cudaStream_t stream) {
  set_collective(
      target, d,
      {CollectiveOp::kSignal, nullptr, nullptr, 0, kNoType, Reduction::kNone, peer, comm, stream});
}
static void describe(Tag<ncclWaitSignal>, const Target& target, Details& d, int, auto,
                     ncclComm_t comm, cudaStream_t stream) {
  set_collective(target, d,
                 {CollectiveOp::kWaitSignal, nullptr, nullptr, 0, kNoType, Reduction::kNone, -1,
                  comm, stream});
}

// Groups.

static void after(Tag<ncclGroupStart>, const Target&, ncclResult_t result) {
  if (result == ncclSuccess && t_group.depth++ == 0)
    t_group.id = g_groups.fetch_add(1, std::memory_order_relaxed) + 1;
}
template <Api api>
requires AnyOf<api, ncclGroupEnd, ncclGroupSimulateEnd>
void after(Tag<api>, const Target&, ncclResult_t, auto...) {
  if (t_group.depth != 0) --t_group.depth;
}
// Nothing of a group runs whose outermost end is a simulation; an inner end is like any other.
static void describe(Tag<ncclGroupSimulateEnd>, const Target&, Details& d, auto) {
  if (t_group.depth == 0) d.subject = intern("simulated");
}

// Communicators. A call that returns while the communicator is still being made counts as well.

static bool is_made(ncclResult_t result, const ncclComm_t* communicator) {
  return (result == ncclSuccess || result == ncclInProgress) && communicator != nullptr &&
         *communicator != nullptr;
}

static void after(Tag<ncclCommInitRank>, const Target&, ncclResult_t result,
                  ncclComm_t* communicator, int size, ncclUniqueId id, int rank, auto...) {
  if (is_made(result, communicator))
    communicator_made(*communicator, fnv1a(id.internal, sizeof id.internal), 0, rank, size);
}
#if MFUSHIM_NCCL_VERSION >= 22300
static void after(Tag<ncclCommInitRankScalable>, const Target&, ncclResult_t result,
                  ncclComm_t* communicator, int size, int rank, int count, ncclUniqueId* ids,
                  ncclConfig_t*) {
  if (is_made(result, communicator) && ids != nullptr && count > 0)
    communicator_made(*communicator,
                      fnv1a(ids->internal, sizeof(ncclUniqueId) * static_cast<std::size_t>(count)),
                      0, rank, size);
}
#endif

// All ranks are in this process; their unique id never leaves NCCL.
static void after(Tag<ncclCommInitAll>, const Target&, ncclResult_t result, ncclComm_t* list,
                  int size, const int*) {
  const std::uint64_t seed[] = {static_cast<std::uint64_t>(getpid()), now()};
  const std::uint64_t hash = fnv1a(reinterpret_cast<const char*>(seed), sizeof seed);
  for (int rank = 0; list != nullptr && rank < size; ++rank)
    if (is_made(result, list + rank)) communicator_made(list[rank], hash, 0, rank, size);
}

static void split_made(ncclResult_t result, ncclComm_t parent, const ncclComm_t* communicator,
                       std::int64_t color) {
  CommunicatorState* const from = find_communicator(parent);
  if (from == nullptr) return;
  const std::uint64_t number = from->splits.fetch_add(1) + 1;
  if (!is_made(result, communicator)) return;
  const std::uint64_t hash = from->hash != 0 ? split_hash(from->hash, number, color) : 0;
  communicator_made(*communicator, hash, from->hash, -1, -1);
}
#if MFUSHIM_NCCL_VERSION >= 21800
static void after(Tag<ncclCommSplit>, const Target&, ncclResult_t result, ncclComm_t parent,
                  int color, int, ncclComm_t* communicator, ncclConfig_t*) {
  split_made(result, parent, communicator, color);
}
#endif
#if MFUSHIM_NCCL_VERSION >= 22700
static void after(Tag<ncclCommShrink>, const Target&, ncclResult_t result, ncclComm_t parent, int*,
                  int, ncclComm_t* communicator, ncclConfig_t*, int) {
  split_made(result, parent, communicator, -2);
}
#endif

// The old ranks have the parent and only one of them the unique id, the new ranks only that:
// nothing that all of them know could be the hash.
static void after(Tag<ncclCommGrow>, const Target&, ncclResult_t result, ncclComm_t parent, int,
                  const ncclUniqueId*, int, ncclComm_t* communicator, ncclConfig_t*) {
  const CommunicatorState* const from = find_communicator(parent);
  if (is_made(result, communicator))
    communicator_made(*communicator, 0, from != nullptr ? from->hash : 0, -1, -1);
}

// Finalized, revoked and suspended ones are still there.
template <Api api>
requires AnyOf<api, ncclCommDestroy, ncclCommAbort>
void before(Tag<api>, const Target&, ncclComm_t communicator) {
  communicator_ended(communicator);
}

// Memory.

static void describe(Tag<ncclMemAlloc>, const Target&, Details& d, void**, std::size_t bytes) {
  d.set_bytes(bytes);
}

}  // namespace mfushim::shim

mfushim::shim::Entry mfushim_exported_nccl[] = {
#define MFUSHIM_API(symbol, ...) MFUSHIM_EXPORTED(symbol, MFUSHIM_NCCL_VERSION)
#include MFUSHIM_ROWS
#undef MFUSHIM_API
};
