// Trains a small GPT-shaped stack on one or more processes, data-parallel and tensor-parallel: an
// ordinary CUDA program whose GPU time has computation, partly hidden communication and idle time.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>
#include <vector>

#include "../support/check.hpp"
#include "../support/ranks.hpp"
#include "groups.hpp"
#include "model.hpp"

namespace {

// The batch of a step: made on the host, as a data loader would.
class Batch {
 public:
  Batch(const Options& options, int replica) : options_(options), replica_(replica) {
    CHECK_CUDA(cudaMallocHost(&host_, bytes()));
    CHECK_CUDA(cudaMalloc(&device_, bytes()));
  }
  ~Batch() {
    cudaFree(device_);
    cudaFreeHost(host_);
  }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  void load(int step, cudaStream_t stream) {
    unsigned state = static_cast<unsigned>(step * 977 + replica_ + 1);
    for (int i = 0; i < 2 * options_.tokens(); ++i) {
      state = state * 1664525U + 1013904223U;
      host_[i] = static_cast<int>(state >> 8) % options_.vocab;
    }
    CHECK_CUDA(cudaMemcpyAsync(device_, host_, bytes(), cudaMemcpyHostToDevice, stream));
  }

  const int* tokens() const { return device_; }
  const int* targets() const { return device_ + options_.tokens(); }

 private:
  size_t bytes() const { return 2 * static_cast<size_t>(options_.tokens()) * sizeof(int); }

  const Options options_;
  const int replica_;
  int* host_ = nullptr;
  int* device_ = nullptr;
};

// Everything stands still while the weights go to the host and, so to say, to disk.
template <class Element>
void checkpoint(const Model<Element>& model, int pause_ms) {
  constexpr size_t kPiece = 8 << 20;
  std::vector<char> staging(kPiece);
  CHECK_CUDA(cudaDeviceSynchronize());
  const auto* from = reinterpret_cast<const char*>(model.weights());
  const size_t bytes = model.weight_count() * sizeof(Element);
  for (size_t at = 0; at < bytes; at += kPiece) {
    CHECK_CUDA(cudaMemcpy(staging.data(), from + at, std::min(kPiece, bytes - at),
                          cudaMemcpyDeviceToHost));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
}

template <class Element>
void train(const Options& options, const Rank& rank) {
  cudaStream_t stream = nullptr;
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const Groups groups(rank, options.tensor_parallel);
  Model<Element> model(options, groups, stream);
  GradientExchange exchange(groups.replicators(), stream);
  Batch batch(options, groups.replica());
  float *loss = nullptr, *loss_host = nullptr;
  CHECK_CUDA(cudaMalloc(&loss, sizeof *loss));
  CHECK_CUDA(cudaMallocHost(&loss_host, sizeof *loss_host));

  for (int step = 1; step <= options.steps; ++step) {
    CHECK_CUDA(cudaMemsetAsync(loss, 0, sizeof *loss, stream));
    for (int part = 0; part < options.accumulate; ++part) {
      batch.load(step * options.accumulate + part, stream);
      model.forward(batch.tokens());
      const bool last = part + 1 == options.accumulate;
      model.backward(batch.tokens(), batch.targets(), loss, part > 0, [&](Bucket bucket) {
        if (last) exchange.start(model.grads() + bucket.offset, bucket.count);
      });
    }
    exchange.finish();
    model.optimizer_step(step);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpyAsync(loss_host, loss, sizeof *loss, cudaMemcpyDeviceToHost, stream));
    CHECK_CUDA(cudaStreamSynchronize(stream));
    if (rank.index == 0) {
      std::printf("step %d of %d: %d tokens, loss %s\n", step, options.steps,
                  options.tokens() * options.accumulate * groups.replicas(),
                  std::isfinite(*loss_host) ? "finite" : "broken");
    }
    if (options.pause_ms > 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(options.pause_ms));
    if (options.checkpoint_ms > 0 && step == (options.steps + 1) / 2) {
      checkpoint(model, options.checkpoint_ms);
      if (rank.index == 0) std::printf("checkpoint after step %d\n", step);
    }
  }
  CHECK_CUDA(cudaFreeHost(loss_host));
  CHECK_CUDA(cudaFree(loss));
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK_CUDA(cudaStreamDestroy(stream));
  if (rank.index == 0) {
    std::printf("trained %zu weights for %d steps\n", model.weight_count(), options.steps);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const Rank rank = join_or_start_ranks(options.ranks, argv);
  int devices = 0;
  CHECK_CUDA(cudaGetDeviceCount(&devices));
  CHECK_CUDA(cudaSetDevice(rank.local % devices));
  const bool single =
      options.precision == Precision::kFp32 || options.precision == Precision::kTf32;
  if (single) {
    train<float>(options, rank);
  } else {
    train<bf16>(options, rank);
  }
  return 0;
}
