// libnccl: making, asking and ending communicators.
#include <cuda_runtime_api.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <thread>
#include <tuple>
#include <vector>

#include "communicator.hpp"
#include "exports.hpp"
#include "group.hpp"

using namespace mfusim::nccl;

namespace {

// A communicator of which rank and size may not be known yet.
ncclComm_t new_communicator() {
  auto* made = new ncclComm;
  made->core = std::make_shared<Core>();
  cudaGetDevice(&made->core->device);
  return made;
}

ncclResult_t attach(Core& core, uint64_t hash, int rank, int size) {
  core.hash = hash;
  core.rank = rank;
  core.size = size;
  core.sent.assign(static_cast<size_t>(size), 0);
  core.received.assign(static_cast<size_t>(size), 0);
  core.awaited.assign(static_cast<size_t>(size), 0);
  core.segment.reset(Segment::open(hash, size));
  if (core.segment == nullptr) return ncclSystemError;
  core.segment->attach(rank);
  return ncclSuccess;
}

ncclResult_t await_all(Core& core) {
  if (core.segment == nullptr) return ncclSuccess;  // a rank that asked for no part of a split
  return core.segment->await_all_attached() ? ncclSuccess : ncclRemoteError;
}

ncclResult_t destroy(ncclComm_t communicator) {
  if (communicator == nullptr) return ncclSuccess;
  communicator->core->close();
  delete communicator;
  return ncclSuccess;
}

ncclResult_t init(ncclComm_t* communicator, int ranks, const ncclUniqueId& id, int rank) {
  if (communicator == nullptr || ranks < 1 || rank < 0 || rank >= ranks) return ncclInvalidArgument;
  if (cudaFree(nullptr) != cudaSuccess) return ncclUnhandledCudaError;
  *communicator = new_communicator();
  const std::shared_ptr<Core> core = (*communicator)->core;
  const uint64_t hash = hash_of(id.internal, sizeof id.internal);
  const ncclResult_t made =
      enqueue(Setup{nullptr,
                    {[=] { return attach(*core, hash, rank, ranks); }, [] { return ncclSuccess; },
                     [=] { return await_all(*core); }}});
  if (made != ncclSuccess) {
    destroy(*communicator);
    *communicator = nullptr;
  }
  return made;
}

// What each rank asked for in a split becomes known to all; those of one colour are ordered by key.
// Ranks that are left out do not come.
ncclResult_t take_part(const Core& parent, Core& child, uint64_t number, int color,
                       const std::vector<int>& left_out) {
  const auto deadline = std::chrono::steady_clock::now() + patience();
  std::vector<std::tuple<int, int>> group;  // key, rank in the parent
  for (int rank = 0; rank < parent.size; ++rank) {
    if (std::find(left_out.begin(), left_out.end(), rank) != left_out.end()) continue;
    const Segment::SplitRequest& request = parent.segment->split(number, rank);
    while (request.number.load(std::memory_order_acquire) != number) {
      if (std::chrono::steady_clock::now() > deadline) return ncclRemoteError;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    if (request.color == color) group.emplace_back(request.key, rank);
  }
  if (color == NCCL_SPLIT_NOCOLOR) return ncclSuccess;
  std::sort(group.begin(), group.end());
  int rank = 0;
  while (std::get<1>(group[static_cast<size_t>(rank)]) != parent.rank) ++rank;
  const uint64_t seed[] = {number, static_cast<uint64_t>(color)};
  return attach(child, hash_of(seed, sizeof seed, parent.hash), rank,
                static_cast<int>(group.size()));
}

ncclResult_t split(ncclComm_t parent, int color, int key, ncclComm_t* communicator,
                   std::vector<int> left_out = {}) {
  *communicator = color == NCCL_SPLIT_NOCOLOR ? nullptr : new_communicator();
  const std::shared_ptr<Core> from = parent->core;
  const std::shared_ptr<Core> core =
      *communicator != nullptr ? (*communicator)->core : std::make_shared<Core>();
  core->device = from->device;
  const uint64_t number = ++parent->splits;
  const auto ask = [=] {
    Segment::SplitRequest& request = from->segment->split(number, from->rank);
    request.color = color;
    request.key = key;
    request.number.store(number, std::memory_order_release);
    return ncclSuccess;
  };
  return enqueue(Setup{parent,
                       {ask, [=] { return take_part(*from, *core, number, color, left_out); },
                        [=] { return await_all(*core); }}});
}

// All ranks learn the id from the parent's one rank that has it, new ranks were given it.
ncclResult_t grow(ncclComm_t parent, int ranks, const ncclUniqueId* id, int rank,
                  ncclComm_t* communicator) {
  if (cudaFree(nullptr) != cudaSuccess) return ncclUnhandledCudaError;
  *communicator = new_communicator();
  const std::shared_ptr<Core> core = (*communicator)->core;
  const std::shared_ptr<Core> from = parent != nullptr ? parent->core : nullptr;
  const uint64_t number = parent != nullptr ? ++parent->splits : 0;
  const uint64_t hash = id != nullptr ? hash_of(id->internal, sizeof id->internal) : 0;
  const auto tell = [=] {
    if (from == nullptr || hash == 0) return ncclSuccess;
    Segment::SplitRequest& request = from->segment->split(number, from->rank);
    request.color = static_cast<int>(hash >> 32);
    request.key = static_cast<int>(hash);
    request.number.store(number, std::memory_order_release);
    return ncclSuccess;
  };
  const auto join = [=] {
    if (hash != 0) return attach(*core, hash, from != nullptr ? from->rank : rank, ranks);
    const auto deadline = std::chrono::steady_clock::now() + patience();
    for (int other = 0; std::chrono::steady_clock::now() < deadline; ++other) {
      const Segment::SplitRequest& request = from->segment->split(number, other % from->size);
      if (request.number.load(std::memory_order_acquire) == number) {
        const uint64_t told = static_cast<uint64_t>(static_cast<uint32_t>(request.color)) << 32 |
                              static_cast<uint32_t>(request.key);
        return attach(*core, told, from->rank, ranks);
      }
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    return ncclRemoteError;
  };
  return enqueue(Setup{parent, {tell, join, [=] { return await_all(*core); }}});
}

template <class Value>
ncclResult_t tell(const ncclComm_t communicator, Value Core::*field, Value* value) {
  if (communicator == nullptr || value == nullptr) return ncclInvalidArgument;
  *value = communicator->core.get()->*field;
  return ncclSuccess;
}

}  // namespace

extern "C" {

ncclResult_t pncclGetUniqueId(ncclUniqueId* id) {
  if (id == nullptr) return ncclInvalidArgument;
  std::memset(id, 0, sizeof *id);
  return getrandom(id->internal, sizeof id->internal, 0) == sizeof id->internal ? ncclSuccess
                                                                                : ncclSystemError;
}

ncclResult_t pncclCommInitRank(ncclComm_t* communicator, int ranks, ncclUniqueId id, int rank) {
  return init(communicator, ranks, id, rank);
}

ncclResult_t pncclCommInitRankConfig(ncclComm_t* communicator, int ranks, ncclUniqueId id, int rank,
                                     ncclConfig_t*) {
  return init(communicator, ranks, id, rank);
}

ncclResult_t pncclCommInitRankScalable(ncclComm_t* communicator, int ranks, int rank, int ids,
                                       ncclUniqueId* id, ncclConfig_t*) {
  if (ids < 1 || id == nullptr) return ncclInvalidArgument;
  return init(communicator, ranks, id[0], rank);
}

ncclResult_t pncclCommInitAll(ncclComm_t* communicators, int devices, const int* list) {
  if (communicators == nullptr || devices < 1) return ncclInvalidArgument;
  ncclUniqueId id;
  ncclResult_t result = pncclGetUniqueId(&id);
  int before = 0;
  cudaGetDevice(&before);
  group_start();
  for (int rank = 0; rank < devices && result == ncclSuccess; ++rank) {
    cudaSetDevice(list != nullptr ? list[rank] : rank);
    result = init(&communicators[rank], devices, id, rank);
  }
  const ncclResult_t ended = group_end();
  cudaSetDevice(before);
  return result != ncclSuccess ? result : ended;
}

ncclResult_t pncclCommSplit(ncclComm_t parent, int color, int key, ncclComm_t* communicator,
                            ncclConfig_t*) {
  if (parent == nullptr || communicator == nullptr || (color < 0 && color != NCCL_SPLIT_NOCOLOR)) {
    return ncclInvalidArgument;
  }
  return split(parent, color, key, communicator);
}

#if NCCL_VERSION_CODE >= 22700
ncclResult_t pncclCommShrink(ncclComm_t parent, int* excluded, int count, ncclComm_t* communicator,
                             ncclConfig_t*, int) {
  if (parent == nullptr || communicator == nullptr || count < 1 || excluded == nullptr) {
    return ncclInvalidArgument;
  }
  constexpr int kColor = -2;  // no split's
  return split(parent, kColor, parent->core->rank, communicator, {excluded, excluded + count});
}
#endif

ncclResult_t pncclCommGetUniqueId(ncclComm_t communicator, ncclUniqueId* id) {
  return communicator != nullptr ? pncclGetUniqueId(id) : ncclInvalidArgument;
}

ncclResult_t pncclCommGrow(ncclComm_t parent, int ranks, const ncclUniqueId* id, int rank,
                           ncclComm_t* communicator, ncclConfig_t*) {
  const bool is_new = parent == nullptr;
  if (communicator == nullptr || (is_new && (id == nullptr || rank < 0 || rank >= ranks)) ||
      (!is_new && (rank != -1 || ranks <= parent->core->size))) {
    return ncclInvalidArgument;
  }
  return grow(parent, ranks, id, rank, communicator);
}

ncclResult_t pncclCommRevoke(ncclComm_t communicator, int flags) {
  if (communicator == nullptr || flags != 0) return ncclInvalidArgument;
  communicator->core->aborted = true;
  return ncclSuccess;
}

ncclResult_t pncclCommSuspend(ncclComm_t communicator, int) {
  return communicator != nullptr ? ncclSuccess : ncclInvalidArgument;
}
ncclResult_t pncclCommResume(ncclComm_t communicator) {
  return communicator != nullptr ? ncclSuccess : ncclInvalidArgument;
}

ncclResult_t pncclCommFinalize(ncclComm_t communicator) {
  return communicator != nullptr ? ncclSuccess : ncclInvalidArgument;
}

ncclResult_t pncclCommDestroy(ncclComm_t communicator) {
  return destroy(communicator);
}

ncclResult_t pncclCommAbort(ncclComm_t communicator) {
  if (communicator != nullptr) communicator->core->aborted = true;
  return destroy(communicator);
}

ncclResult_t pncclCommGetAsyncError(ncclComm_t communicator, ncclResult_t* error) {
  if (communicator == nullptr || error == nullptr) return ncclInvalidArgument;
  *error = communicator->core->error;
  return ncclSuccess;
}

ncclResult_t pncclCommCount(const ncclComm_t communicator, int* count) {
  return tell(communicator, &Core::size, count);
}
ncclResult_t pncclCommUserRank(const ncclComm_t communicator, int* rank) {
  return tell(communicator, &Core::rank, rank);
}
ncclResult_t pncclCommCuDevice(const ncclComm_t communicator, int* device) {
  return tell(communicator, &Core::device, device);
}

}  // extern "C"

MFUSIM_WEAK_TWIN(ncclGetUniqueId);
MFUSIM_WEAK_TWIN(ncclCommInitRank);
MFUSIM_WEAK_TWIN(ncclCommInitRankConfig);
MFUSIM_WEAK_TWIN(ncclCommInitRankScalable);
MFUSIM_WEAK_TWIN(ncclCommInitAll);
MFUSIM_WEAK_TWIN(ncclCommSplit);
#if NCCL_VERSION_CODE >= 22700
MFUSIM_WEAK_TWIN(ncclCommShrink);
#endif
MFUSIM_WEAK_TWIN(ncclCommGetUniqueId);
MFUSIM_WEAK_TWIN(ncclCommGrow);
MFUSIM_WEAK_TWIN(ncclCommRevoke);
MFUSIM_WEAK_TWIN(ncclCommSuspend);
MFUSIM_WEAK_TWIN(ncclCommResume);
MFUSIM_WEAK_TWIN(ncclCommFinalize);
MFUSIM_WEAK_TWIN(ncclCommDestroy);
MFUSIM_WEAK_TWIN(ncclCommAbort);
MFUSIM_WEAK_TWIN(ncclCommGetAsyncError);
MFUSIM_WEAK_TWIN(ncclCommCount);
MFUSIM_WEAK_TWIN(ncclCommUserRank);
MFUSIM_WEAK_TWIN(ncclCommCuDevice);
