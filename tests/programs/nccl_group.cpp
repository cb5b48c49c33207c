// Two processes: collectives alone and grouped, messages both ways, and what they carry checked.
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <cstdio>
#include <vector>

#include "support/check.hpp"
#include "support/ranks.hpp"

namespace {

constexpr size_t kCount = 1024;

// A device buffer of floats that starts as value on every element.
class Buffer {
 public:
  Buffer(size_t count, float value) : count_(count) {
    CHECK_CUDA(cudaMalloc(&data_, count * sizeof(float)));
    const std::vector<float> filled(count, value);
    CHECK_CUDA(cudaMemcpy(data_, filled.data(), count * sizeof(float), cudaMemcpyHostToDevice));
  }
  ~Buffer() { cudaFree(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  float* data() const { return data_; }

  // All elements of [first, first + count) are value.
  void expect(const char* what, size_t first, size_t count, float value) const {
    std::vector<float> found(count_);
    CHECK_CUDA(cudaMemcpy(found.data(), data_, count_ * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t i = first; i < first + count; ++i) {
      if (found[i] == value) continue;
      std::fprintf(stderr, "%s: element %zu is %g, not %g\n", what, i,
                   static_cast<double>(found[i]), static_cast<double>(value));
      std::exit(1);
    }
  }

 private:
  size_t count_;
  float* data_ = nullptr;
};

void collectives(ncclComm_t communicator, const Rank& rank, cudaStream_t stream) {
  const auto mine = static_cast<float>(rank.index + 1);
  const auto world = static_cast<size_t>(rank.world);
  const auto sum = static_cast<float>(rank.world * (rank.world + 1)) / 2;
  const Buffer in(kCount * world, mine);
  const Buffer summed(kCount, 0), gathered(kCount * world, 0), scattered(kCount, 0),
      sent(kCount, mine);
  CHECK_NCCL(
      ncclAllReduce(in.data(), summed.data(), kCount, ncclFloat, ncclSum, communicator, stream));
  CHECK_NCCL(ncclAllGather(in.data(), gathered.data(), kCount, ncclFloat, communicator, stream));
  CHECK_NCCL(ncclReduceScatter(in.data(), scattered.data(), kCount, ncclFloat, ncclMax,
                               communicator, stream));
  CHECK_NCCL(ncclBcast(sent.data(), kCount, ncclFloat, 0, communicator, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
  summed.expect("all-reduce", 0, kCount, sum);
  for (size_t from = 0; from < world; ++from) {
    gathered.expect("all-gather", from * kCount, kCount, static_cast<float>(from + 1));
  }
  scattered.expect("reduce-scatter", 0, kCount, static_cast<float>(rank.world));
  sent.expect("broadcast", 0, kCount, 1);
}

void grouped(ncclComm_t communicator, const Rank& rank, cudaStream_t stream) {
  const auto mine = static_cast<float>(rank.index + 1);
  const Buffer a(kCount, mine), b(2 * kCount, mine);
  CHECK_NCCL(ncclGroupStart());
  CHECK_NCCL(ncclAllReduce(a.data(), a.data(), kCount, ncclFloat, ncclSum, communicator, stream));
  CHECK_NCCL(
      ncclAllReduce(b.data(), b.data(), 2 * kCount, ncclFloat, ncclProd, communicator, stream));
  CHECK_NCCL(ncclGroupEnd());
  CHECK_CUDA(cudaStreamSynchronize(stream));
  float sum = 0, product = 1;
  for (int i = 1; i <= rank.world; ++i) {
    sum += static_cast<float>(i);
    product *= static_cast<float>(i);
  }
  a.expect("grouped sum", 0, kCount, sum);
  b.expect("grouped product", 0, 2 * kCount, product);
}

void messages(ncclComm_t communicator, const Rank& rank, cudaStream_t stream) {
  const int next = (rank.index + 1) % rank.world;
  const int previous = (rank.index + rank.world - 1) % rank.world;
  const Buffer out(kCount, static_cast<float>(rank.index)), in(kCount, -1);
  for (int round = 0; round < 3; ++round) {
    CHECK_NCCL(ncclGroupStart());
    CHECK_NCCL(ncclSend(out.data(), kCount, ncclFloat, next, communicator, stream));
    CHECK_NCCL(ncclRecv(in.data(), kCount, ncclFloat, previous, communicator, stream));
    CHECK_NCCL(ncclGroupEnd());
  }
  CHECK_CUDA(cudaStreamSynchronize(stream));
  in.expect("message", 0, kCount, static_cast<float>(previous));
}

}  // namespace

int main(int, char** argv) {
  const Rank rank = join_or_start_ranks(2, argv);
  int devices = 0;
  CHECK_CUDA(cudaGetDeviceCount(&devices));
  CHECK_CUDA(cudaSetDevice(rank.local % devices));
  ncclComm_t communicator = join_communicator(rank);
  cudaStream_t stream = nullptr;
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  collectives(communicator, rank, stream);
  grouped(communicator, rank, stream);
  messages(communicator, rank, stream);
  ncclResult_t error = ncclSuccess;
  CHECK_NCCL(ncclCommGetAsyncError(communicator, &error));
  CHECK_NCCL(error);
  CHECK_NCCL(ncclCommDestroy(communicator));
  CHECK_CUDA(cudaStreamDestroy(stream));
  if (rank.index == 0) std::printf("%d ranks: 4 collectives, a group, 3 exchanges\n", rank.world);
  return 0;
}
