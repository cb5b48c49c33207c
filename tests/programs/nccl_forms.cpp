// Two processes: every function of NCCL that is recorded, under both of its names.
#include <cuda_runtime_api.h>

#include <cstdio>

#include "support/check.hpp"
#include "support/newest_nccl.h"
#include "support/ranks.hpp"

namespace {

constexpr size_t kRoom = 1 << 16;  // bytes of a buffer

struct Program {
  Rank rank;
  ncclComm_t world = nullptr;
  cudaStream_t stream = nullptr;
  char* in = nullptr;
  char* out = nullptr;
  ncclWindow_t window = nullptr;  // on out

  int other() const { return 1 - rank.index; }
};

// A call of ncclX with these arguments, and one of pncclX.
#define BOTH(name, ...)                   \
  do {                                    \
    CHECK_NCCL(nccl##name(__VA_ARGS__));  \
    CHECK_NCCL(pnccl##name(__VA_ARGS__)); \
  } while (0)

// Counts differ, so that each call is told from the others.
void collectives(const Program& p) {
  const ncclComm_t c = p.world;
  const cudaStream_t s = p.stream;
  BOTH(AllReduce, p.in, p.out, 101, ncclFloat, ncclSum, c, s);
  BOTH(Reduce, p.in, p.out, 102, ncclInt32, ncclMax, 1, c, s);
  BOTH(Broadcast, p.in, p.out, 103, ncclInt8, 0, c, s);
  BOTH(Bcast, p.out, 104, ncclUint8, 1, c, s);
  BOTH(AllGather, p.in, p.out, 105, ncclFloat64, c, s);
  BOTH(ReduceScatter, p.in, p.out, 106, ncclBfloat16, ncclAvg, c, s);
  BOTH(AlltoAll, p.in, p.out, 107, ncclFloat16, c, s);
  BOTH(Gather, p.in, p.out, 108, ncclInt64, 0, c, s);
  BOTH(Scatter, p.in, p.out, 109, ncclUint64, 1, c, s);
}

void configured(const Program& p) {
  const ncclComm_t c = p.world;
  const cudaStream_t s = p.stream;
  const ncclCollConfig_t* const none = nullptr;
  BOTH(AllReduceConfig, p.in, p.out, 201, ncclFloat, ncclProd, c, s, none);
  BOTH(ReduceConfig, p.in, p.out, 202, ncclUint32, ncclMin, 0, c, s, none);
  BOTH(BroadcastConfig, p.in, p.out, 203, ncclInt8, 1, c, s, none);
  BOTH(AllGatherConfig, p.in, p.out, 205, ncclFloat64, c, s, none);
  BOTH(ReduceScatterConfig, p.in, p.out, 206, ncclBfloat16, ncclSum, c, s, none);
  BOTH(AlltoAllConfig, p.in, p.out, 207, ncclFloat16, c, s, none);
  BOTH(GatherConfig, p.in, p.out, 208, ncclInt64, 1, c, s, none);
  BOTH(ScatterConfig, p.in, p.out, 209, ncclUint64, 0, c, s, none);
}

void exchange(const Program& p, size_t count) {
  CHECK_NCCL(ncclGroupStart());
  CHECK_NCCL(ncclSend(p.in, count, ncclFloat, p.other(), p.world, p.stream));
  CHECK_NCCL(pncclRecv(p.out, count, ncclFloat, p.other(), p.world, p.stream));
  CHECK_NCCL(ncclGroupEnd());
}

void groups(const Program& p) {
  exchange(p, 301);

  CHECK_NCCL(pncclGroupStart());
  exchange(p, 302);
  CHECK_NCCL(pncclSend(p.in, 303, ncclFloat, p.other(), p.world, p.stream));
  CHECK_NCCL(ncclRecv(p.out, 303, ncclFloat, p.other(), p.world, p.stream));
  CHECK_NCCL(pncclGroupEnd());

  // An inner end that simulates is like any other: what it ends begins at the outer one.
  CHECK_NCCL(ncclGroupStart());
  CHECK_NCCL(ncclGroupStart());
  exchange(p, 304);
  CHECK_NCCL(ncclGroupSimulateEnd(nullptr));
  CHECK_NCCL(ncclAllReduce(p.in, p.out, 305, ncclFloat, ncclSum, p.world, p.stream));
  CHECK_NCCL(ncclGroupEnd());

  // An outermost one lets nothing begin.
  ncclSimInfo_t info = NCCL_SIM_INFO_INITIALIZER;
  CHECK_NCCL(ncclGroupStart());
  exchange(p, 306);
  CHECK_NCCL(ncclGroupSimulateEnd(&info));
  CHECK_NCCL(ncclGroupStart());
  exchange(p, 307);
  CHECK_NCCL(pncclGroupSimulateEnd(&info));
}

void one_sided(const Program& p) {
  const int other = p.other();
  ncclWaitSignalDesc_t two{};
  two.opCnt = 2;
  two.peer = other;
  BOTH(PutSignal, p.in, 401, ncclFloat, other, p.window, 0, 0, 0, 0, p.world, p.stream);
  BOTH(Signal, other, 0, 0, 0, p.world, p.stream);
  BOTH(WaitSignal, 1, &two, p.world, p.stream);
}

void all_reduce(const Program& p, ncclComm_t communicator, size_t count) {
  CHECK_NCCL(ncclAllReduce(p.in, p.out, count, ncclInt32, ncclSum, communicator, p.stream));
  CHECK_CUDA(cudaStreamSynchronize(p.stream));
}

// An id for all ranks, which only the first can make.
ncclUniqueId from_the_first(const Program& p, ncclUniqueId id) {
  CHECK_CUDA(cudaMemcpy(p.in, &id, sizeof id, cudaMemcpyHostToDevice));
  CHECK_NCCL(ncclBroadcast(p.in, p.in, sizeof id, ncclUint8, 0, p.world, p.stream));
  CHECK_CUDA(cudaStreamSynchronize(p.stream));
  CHECK_CUDA(cudaMemcpy(&id, p.in, sizeof id, cudaMemcpyDeviceToHost));
  return id;
}

void made_anew(const Program& p) {
  ncclUniqueId id{};
  CHECK_NCCL(ncclGetUniqueId(&id));
  id = from_the_first(p, id);
  const int rank = p.rank.index;
  size_t count = 501;  // and on
  const auto use_and_end = [&](ncclComm_t made, bool strong) {
    all_reduce(p, made, count++);
    CHECK_NCCL(strong ? pncclCommFinalize(made) : ncclCommFinalize(made));
    CHECK_NCCL(strong ? pncclCommDestroy(made) : ncclCommDestroy(made));
    ++id.internal[0];
  };
  ncclComm_t made = nullptr;
  CHECK_NCCL(ncclCommInitRank(&made, 2, id, rank));
  use_and_end(made, true);
  CHECK_NCCL(pncclCommInitRank(&made, 2, id, rank));
  use_and_end(made, false);
  CHECK_NCCL(ncclCommInitRankConfig(&made, 2, id, rank, nullptr));
  use_and_end(made, true);
  CHECK_NCCL(pncclCommInitRankConfig(&made, 2, id, rank, nullptr));
  use_and_end(made, false);
  CHECK_NCCL(ncclCommInitRankScalable(&made, 2, rank, 1, &id, nullptr));
  use_and_end(made, true);
  CHECK_NCCL(pncclCommInitRankScalable(&made, 2, rank, 1, &id, nullptr));
  use_and_end(made, false);
  // Each rank for itself.
  CHECK_NCCL(ncclCommInitAll(&made, 1, nullptr));
  CHECK_NCCL(ncclCommDestroy(made));
  CHECK_NCCL(pncclCommInitAll(&made, 1, nullptr));
  CHECK_NCCL(ncclCommDestroy(made));
}

void split(const Program& p) {
  ncclComm_t made = nullptr;
  // Both in reverse order, then apart.
  CHECK_NCCL(ncclCommSplit(p.world, 0, -p.rank.index, &made, nullptr));
  all_reduce(p, made, 511);
  CHECK_NCCL(ncclCommRevoke(made, 0));
  CHECK_NCCL(ncclCommAbort(made));
  CHECK_NCCL(pncclCommSplit(p.world, p.rank.index, 0, &made, nullptr));
  all_reduce(p, made, 512);
  CHECK_NCCL(pncclCommRevoke(made, 0));
  CHECK_NCCL(pncclCommAbort(made));
}

// The first rank alone, then with the other one again, which is new to it.
void shrunk_and_grown(const Program& p, size_t count, decltype(&ncclCommShrink) shrink,
                      decltype(&ncclCommGrow) grow) {
  ncclComm_t alone = nullptr, grown = nullptr;
  ncclUniqueId id{};
  if (p.rank.index == 0) {
    int left_out = 1;
    CHECK_NCCL(shrink(p.world, &left_out, 1, &alone, nullptr, NCCL_SHRINK_DEFAULT));
    all_reduce(p, alone, count);
    CHECK_NCCL(ncclCommGetUniqueId(alone, &id));
  }
  id = from_the_first(p, id);
  CHECK_NCCL(grow(alone, 2, &id, alone != nullptr ? -1 : 1, &grown, nullptr));
  all_reduce(p, grown, count + 1);
  CHECK_NCCL(ncclCommDestroy(grown));
  if (alone != nullptr) CHECK_NCCL(ncclCommDestroy(alone));
}

// What changes neither ranks nor data.
void side_calls(const Program& p) {
  void* handle = nullptr;
  void* memory = nullptr;
  ncclWindow_t window = nullptr;
  CHECK_NCCL(ncclMemAlloc(&memory, kRoom));
  CHECK_NCCL(ncclMemFree(memory));
  CHECK_NCCL(pncclMemAlloc(&memory, kRoom));
  BOTH(CommRegister, p.world, memory, kRoom, &handle);
  BOTH(CommDeregister, p.world, handle);
  CHECK_NCCL(pncclCommWindowRegister(p.world, memory, kRoom, &window, 0));
  CHECK_NCCL(pncclCommWindowDeregister(p.world, window));
  CHECK_NCCL(pncclMemFree(memory));
  BOTH(CommSuspend, p.world, 1);
  BOTH(CommResume, p.world);
}

}  // namespace

int main(int, char** argv) {
  Program p;
  p.rank = join_or_start_ranks(2, argv);
  int devices = 0;
  CHECK_CUDA(cudaGetDeviceCount(&devices));
  CHECK_CUDA(cudaSetDevice(p.rank.local % devices));
  p.world = join_communicator(p.rank);
  CHECK_CUDA(cudaStreamCreateWithFlags(&p.stream, cudaStreamNonBlocking));
  void* memory = nullptr;
  CHECK_CUDA(cudaMalloc(&memory, 2 * kRoom));
  p.in = static_cast<char*>(memory);
  p.out = p.in + kRoom;
  CHECK_CUDA(cudaMemset(memory, 0, 2 * kRoom));
  CHECK_NCCL(ncclCommWindowRegister(p.world, p.out, kRoom, &p.window, 0));
  collectives(p);
  configured(p);
  groups(p);
  one_sided(p);
  side_calls(p);
  made_anew(p);
  split(p);
  shrunk_and_grown(p, 601, ncclCommShrink, ncclCommGrow);
  shrunk_and_grown(p, 611, pncclCommShrink, pncclCommGrow);
  CHECK_CUDA(cudaStreamSynchronize(p.stream));
  CHECK_NCCL(ncclCommWindowDeregister(p.world, p.window));
  CHECK_CUDA(cudaFree(memory));
  CHECK_NCCL(ncclCommDestroy(p.world));
  if (p.rank.index == 0) std::printf("every form of NCCL's calls on %d ranks\n", p.rank.world);
  return 0;
}
