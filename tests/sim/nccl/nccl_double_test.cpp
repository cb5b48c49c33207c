// What the NCCL double promises beyond what the program nccl_group shows: sums in every type, one
// process with several GPUs, splits, replay in graphs, and an error instead of a hang when a rank
// is missing.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <nccl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "../../programs/support/check.hpp"

#define EXPECT(condition)                                                    \
  do {                                                                       \
    if (!(condition)) fail(#condition, "does not hold", __FILE__, __LINE__); \
  } while (0)

namespace {

constexpr size_t kCount = 1000;

// All ranks of a communicator in this process, one GPU each.
struct Ranks {
  explicit Ranks(int count) : communicators(count), streams(count) {
    CHECK_NCCL(ncclCommInitAll(communicators.data(), count, nullptr));
    for (int rank = 0; rank < count; ++rank) {
      CHECK_CUDA(cudaSetDevice(rank));
      CHECK_CUDA(cudaStreamCreateWithFlags(&streams[rank], cudaStreamNonBlocking));
    }
  }
  ~Ranks() {
    for (ncclComm_t communicator : communicators) ncclCommDestroy(communicator);
  }
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int count() const { return static_cast<int>(communicators.size()); }

  template <class Ask>
  void together(Ask ask) {
    CHECK_NCCL(ncclGroupStart());
    for (int rank = 0; rank < count(); ++rank) ask(rank);
    CHECK_NCCL(ncclGroupEnd());
    for (int rank = 0; rank < count(); ++rank) CHECK_CUDA(cudaStreamSynchronize(streams[rank]));
  }

  std::vector<ncclComm_t> communicators;
  std::vector<cudaStream_t> streams;
};

template <class T>
T* filled(size_t count, T value) {
  T* data = nullptr;
  CHECK_CUDA(cudaMalloc(&data, count * sizeof(T)));
  const std::vector<T> values(count, value);
  CHECK_CUDA(cudaMemcpy(data, values.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  return data;
}

template <class T>
std::vector<T> host(const T* data, size_t count) {
  std::vector<T> values(count);
  CHECK_CUDA(cudaMemcpy(values.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

// Ranks hold 1, 2, 3: sum 6, product 6, largest 3, mean 2.
template <class T>
void check_reductions(Ranks& ranks, ncclDataType_t type) {
  const struct {
    ncclRedOp_t op;
    float expected;
  } cases[] = {{ncclSum, 6}, {ncclProd, 6}, {ncclMax, 3}, {ncclMin, 1}, {ncclAvg, 2}};
  for (const auto& one : cases) {
    std::vector<T*> data;
    for (int rank = 0; rank < ranks.count(); ++rank) {
      data.push_back(filled(kCount, static_cast<T>(static_cast<float>(rank + 1))));
    }
    ranks.together([&](int rank) {
      CHECK_NCCL(ncclAllReduce(data[rank], data[rank], kCount, type, one.op,
                               ranks.communicators[rank], ranks.streams[rank]));
    });
    for (T* each : data) {
      for (const T& value : host(each, kCount)) {
        EXPECT(static_cast<float>(value) == one.expected);
      }
      CHECK_CUDA(cudaFree(each));
    }
  }
}

void reductions() {
  Ranks ranks(3);
  check_reductions<int8_t>(ranks, ncclInt8);
  check_reductions<uint32_t>(ranks, ncclUint32);
  check_reductions<int64_t>(ranks, ncclInt64);
  check_reductions<__half>(ranks, ncclFloat16);
  check_reductions<__nv_bfloat16>(ranks, ncclBfloat16);
  check_reductions<float>(ranks, ncclFloat32);
  check_reductions<double>(ranks, ncclFloat64);
}

// Rank r sends element q to rank q: 10 r + q, so that rank q gets 10 r + q from each r.
void all_to_all() {
  Ranks ranks(4);
  std::vector<int*> in, out;
  for (int rank = 0; rank < 4; ++rank) {
    const std::vector<int> values{10 * rank, 10 * rank + 1, 10 * rank + 2, 10 * rank + 3};
    in.push_back(filled(4, 0));
    out.push_back(filled(4, -1));
    CHECK_CUDA(cudaMemcpy(in.back(), values.data(), 4 * sizeof(int), cudaMemcpyHostToDevice));
  }
  ranks.together([&](int rank) {
    CHECK_NCCL(ncclAlltoAll(in[rank], out[rank], 1, ncclInt32, ranks.communicators[rank],
                            ranks.streams[rank]));
  });
  for (int rank = 0; rank < 4; ++rank) {
    const std::vector<int> expected{rank, 10 + rank, 20 + rank, 30 + rank};
    EXPECT(host(out[rank], 4) == expected);
  }
}

// Even and odd ranks apart, in reverse order; rank 4 takes no part.
void splits() {
  Ranks ranks(5);
  std::vector<ncclComm_t> parts(5);
  ranks.together([&](int rank) {
    const int color = rank == 4 ? NCCL_SPLIT_NOCOLOR : rank % 2;
    CHECK_NCCL(ncclCommSplit(ranks.communicators[rank], color, -rank, &parts[rank], nullptr));
  });
  EXPECT(parts[4] == nullptr);
  for (int rank = 0; rank < 4; ++rank) {
    int size = 0, place = -1;
    CHECK_NCCL(ncclCommCount(parts[rank], &size));
    CHECK_NCCL(ncclCommUserRank(parts[rank], &place));
    EXPECT(size == 2);
    EXPECT(place == (rank < 2 ? 1 : 0));
  }
  std::vector<int*> data;
  for (int rank = 0; rank < 4; ++rank) data.push_back(filled(kCount, rank));
  CHECK_NCCL(ncclGroupStart());
  for (int rank = 0; rank < 4; ++rank) {
    CHECK_NCCL(ncclAllReduce(data[rank], data[rank], kCount, ncclInt32, ncclSum, parts[rank],
                             ranks.streams[rank]));
  }
  CHECK_NCCL(ncclGroupEnd());
  for (int rank = 0; rank < 4; ++rank) {
    CHECK_CUDA(cudaStreamSynchronize(ranks.streams[rank]));
    EXPECT(host(data[rank], kCount)[0] == (rank % 2 == 0 ? 0 + 2 : 1 + 3));
    CHECK_NCCL(ncclCommDestroy(parts[rank]));
  }
}

// Two ranks whose all-reduce is in a graph: each replay doubles the value, as both hold the same.
void graph_replays() {
  Ranks ranks(2);
  std::vector<float*> data;
  std::vector<cudaGraphExec_t> executables(2);
  for (int rank = 0; rank < 2; ++rank) {
    CHECK_CUDA(cudaSetDevice(rank));
    data.push_back(filled(kCount, 1.0F));
    cudaGraph_t graph = nullptr;
    CHECK_CUDA(cudaStreamBeginCapture(ranks.streams[rank], cudaStreamCaptureModeThreadLocal));
    CHECK_NCCL(ncclAllReduce(data[rank], data[rank], kCount, ncclFloat, ncclSum,
                             ranks.communicators[rank], ranks.streams[rank]));
    CHECK_CUDA(cudaStreamEndCapture(ranks.streams[rank], &graph));
    CHECK_CUDA(cudaGraphInstantiate(&executables[rank], graph, 0));
  }
  for (int replay = 0; replay < 3; ++replay) {
    for (int rank = 0; rank < 2; ++rank) {
      CHECK_CUDA(cudaGraphLaunch(executables[rank], ranks.streams[rank]));
    }
  }
  for (int rank = 0; rank < 2; ++rank) {
    CHECK_CUDA(cudaStreamSynchronize(ranks.streams[rank]));
    EXPECT(host(data[rank], kCount)[kCount - 1] == 8);
  }
}

// One thread per rank, each for itself: many operations in a row, on two streams in turn.
void threads() {
  constexpr int kRanks = 4, kRounds = 200;
  ncclUniqueId id;
  CHECK_NCCL(ncclGetUniqueId(&id));
  std::vector<std::thread> workers;
  for (int rank = 0; rank < kRanks; ++rank) {
    workers.emplace_back([=] {
      CHECK_CUDA(cudaSetDevice(rank));
      ncclComm_t communicator = nullptr;
      CHECK_NCCL(ncclCommInitRank(&communicator, kRanks, id, rank));
      cudaStream_t streams[2];
      for (cudaStream_t& stream : streams) CHECK_CUDA(cudaStreamCreate(&stream));
      uint64_t* sum = filled<uint64_t>(1, 0);
      uint64_t* one = filled<uint64_t>(1, 1);
      for (int round = 0; round < kRounds; ++round) {
        CHECK_NCCL(
            ncclAllReduce(one, sum, 1, ncclUint64, ncclSum, communicator, streams[round % 2]));
      }
      CHECK_CUDA(cudaDeviceSynchronize());
      EXPECT(host(sum, 1)[0] == kRanks);
      CHECK_NCCL(ncclCommDestroy(communicator));
    });
  }
  for (std::thread& worker : workers) worker.join();
}

std::vector<std::string> shared_memory_left() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
    const std::string name = entry.path().filename();
    if (name.starts_with("mfusim-nccl-")) names.push_back(name);
  }
  return names;
}

// The other rank is killed after both have joined: the collective ends with an error, not never.
void lost_peer() {
  ncclUniqueId id;
  CHECK_NCCL(ncclGetUniqueId(&id));
  int joined[2];
  EXPECT(pipe(joined) == 0);
  const pid_t peer = fork();
  CHECK_CUDA(cudaSetDevice(peer == 0 ? 1 : 0));
  ncclComm_t communicator = nullptr;
  CHECK_NCCL(ncclCommInitRank(&communicator, 2, id, peer == 0 ? 1 : 0));
  if (peer == 0) _exit(write(joined[1], "x", 1) == 1 ? 0 : 1);
  char byte = 0;
  EXPECT(read(joined[0], &byte, 1) == 1);
  EXPECT(waitpid(peer, nullptr, 0) == peer);

  float* data = filled(kCount, 1.0F);
  CHECK_NCCL(ncclAllReduce(data, data, kCount, ncclFloat, ncclSum, communicator, nullptr));
  CHECK_CUDA(cudaDeviceSynchronize());
  ncclResult_t error = ncclSuccess;
  CHECK_NCCL(ncclCommGetAsyncError(communicator, &error));
  EXPECT(error == ncclRemoteError);
  CHECK_NCCL(ncclCommAbort(communicator));
}

// Nobody else comes: joining ends with an error and leaves nothing behind.
void lonely_rank() {
  setenv("MFUSIM_NCCL_TIMEOUT_S", "1", 1);
  const std::vector<std::string> before = shared_memory_left();
  ncclUniqueId id;
  CHECK_NCCL(ncclGetUniqueId(&id));
  ncclComm_t communicator = nullptr;
  EXPECT(ncclCommInitRank(&communicator, 2, id, 0) == ncclRemoteError);
  EXPECT(communicator == nullptr);
  for (const std::string& name : shared_memory_left()) {
    EXPECT(std::find(before.begin(), before.end(), name) != before.end());
  }
}

void wrong_arguments() {
  Ranks ranks(1);
  float* data = filled(kCount, 1.0F);
  EXPECT(ncclAllReduce(data, data, kCount, ncclFloat, ncclSum, nullptr, nullptr) ==
         ncclInvalidArgument);
  EXPECT(ncclBroadcast(data, data, kCount, ncclFloat, 1, ranks.communicators[0], nullptr) ==
         ncclInvalidArgument);
  EXPECT(ncclGroupEnd() == ncclInvalidUsage);
}

constexpr struct {
  const char* name;
  void (*run)();
} kCases[] = {
    {"reductions", reductions},   {"all_to_all", all_to_all},
    {"splits", splits},           {"graph_replays", graph_replays},
    {"threads", threads},         {"lost_peer", lost_peer},
    {"lonely_rank", lonely_rank}, {"wrong_arguments", wrong_arguments},
};

}  // namespace

int main(int argc, char** argv) {
  for (const auto& one : kCases) {
    if (argc == 2 && std::strcmp(argv[1], one.name) == 0) {
      one.run();
      return 0;
    }
  }
  std::fprintf(stderr, "nccl_double_test: one case, please\n");
  return 2;
}
