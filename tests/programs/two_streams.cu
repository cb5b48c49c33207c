// Kernels and copies that overlap on two streams, ordered by events where they depend on each
// other.
#include <cuda_runtime_api.h>

#include <cstdio>

#include "support/check.hpp"
#include "support/launch.hpp"

namespace two_streams {

__global__ void scale(float* data, float factor, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) data[i] *= factor;
}

}  // namespace two_streams

int main() {
  constexpr int kCount = 1 << 22, kRounds = 10;
  constexpr size_t kBytes = kCount * sizeof(float);
  cudaStream_t compute = nullptr, copies = nullptr;
  CHECK_CUDA(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
  CHECK_CUDA(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  cudaEvent_t copied[2], used[2], begin = nullptr, end = nullptr;
  float* device[2];
  float* host = nullptr;
  CHECK_CUDA(cudaMallocHost(&host, kBytes));
  for (int i = 0; i < 2; ++i) {
    CHECK_CUDA(cudaMalloc(&device[i], kBytes));
    CHECK_CUDA(cudaEventCreateWithFlags(&copied[i], cudaEventDisableTiming));
    CHECK_CUDA(cudaEventCreateWithFlags(&used[i], cudaEventDisableTiming));
    CHECK_CUDA(cudaEventRecord(used[i], compute));
  }
  CHECK_CUDA(cudaEventCreate(&begin));
  CHECK_CUDA(cudaEventCreate(&end));

  CHECK_CUDA(cudaEventRecord(begin, compute));
  for (int round = 0; round < kRounds; ++round) {
    const int buffer = round % 2;
    CHECK_CUDA(cudaStreamWaitEvent(copies, used[buffer], 0));
    CHECK_CUDA(cudaMemcpyAsync(device[buffer], host, kBytes, cudaMemcpyHostToDevice, copies));
    CHECK_CUDA(cudaEventRecord(copied[buffer], copies));
    CHECK_CUDA(cudaStreamWaitEvent(compute, copied[buffer], 0));
    for (int pass = 0; pass < 4; ++pass) {
      LAUNCH(two_streams::scale, kCount / 256, 256, 0, compute, device[buffer], 1.5F, kCount);
      CHECK_CUDA(cudaGetLastError());
    }
    CHECK_CUDA(cudaEventRecord(used[buffer], compute));
  }
  CHECK_CUDA(cudaEventRecord(end, compute));
  CHECK_CUDA(cudaEventSynchronize(end));
  float milliseconds = 0;
  CHECK_CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
  CHECK_CUDA(cudaStreamSynchronize(copies));
  std::printf("%d rounds of one copy and 4 kernels; time %s\n", kRounds,
              milliseconds > 0 ? "passed" : "stood still");

  for (int i = 0; i < 2; ++i) {
    CHECK_CUDA(cudaFree(device[i]));
    CHECK_CUDA(cudaEventDestroy(copied[i]));
    CHECK_CUDA(cudaEventDestroy(used[i]));
  }
  CHECK_CUDA(cudaFreeHost(host));
  CHECK_CUDA(cudaEventDestroy(begin));
  CHECK_CUDA(cudaEventDestroy(end));
  CHECK_CUDA(cudaStreamDestroy(compute));
  CHECK_CUDA(cudaStreamDestroy(copies));
  return 0;
}
