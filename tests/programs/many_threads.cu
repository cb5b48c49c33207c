// Launches from 64 threads at once for a number of seconds, and says on stderr how many there were.
#include <cuda_runtime_api.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "support/check.hpp"
#include "support/launch.hpp"

namespace many_threads {

__global__ void nothing(int) {}

}  // namespace many_threads

// many_threads [SECONDS]
int main(int argc, char** argv) {
  constexpr int kThreads = 64;
  const double seconds = argc > 1 ? std::atof(argv[1]) : 1;
  std::atomic<bool> stop{false};
  std::atomic<long> launches{0};
  LAUNCH(many_threads::nothing, 1, 32, 0, nullptr, 0);
  CHECK_CUDA(cudaDeviceSynchronize());
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      cudaStream_t stream = nullptr;
      CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
      long made = 0;
      for (; !stop.load(std::memory_order_relaxed); ++made) {
        LAUNCH(many_threads::nothing, 1, 32, 0, stream, 0);
        CHECK_CUDA(cudaGetLastError());
      }
      launches += made;
    });
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  stop = true;
  for (auto& thread : threads) thread.join();
  std::fprintf(stderr, "%ld launches\n", launches.load() + 1);
  std::puts("done");
  return 0;
}
