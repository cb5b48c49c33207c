// One thread captures graphs in the strictest mode, in which a careless question to the driver by
// any other thread breaks the capture; another multiplies matrices all the while.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

#include "support/check.hpp"

namespace {

constexpr int kRounds = 1000, kNodes = 20, kSize = 2048;

void multiply_until(const std::atomic<bool>& over, float* data) {
  constexpr int kQueued = 32;
  // It may wait for its stream while the other captures: that touches nothing of the other's.
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  CHECK_CUDA(cudaThreadExchangeStreamCaptureMode(&mode));
  cudaStream_t stream = nullptr;
  cublasHandle_t blas = nullptr;
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK_CUBLAS(cublasCreate(&blas));
  CHECK_CUBLAS(cublasSetStream(blas, stream));
  const float one = 1;
  for (int i = 0; !over; ++i) {
    CHECK_CUBLAS(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, kSize, kSize, kSize, &one, data, kSize,
                             data, kSize, &one, data, kSize));
    if (i % kQueued == 0) CHECK_CUDA(cudaStreamSynchronize(stream));
  }
}

}  // namespace

int main() {
  float* data = nullptr;
  CHECK_CUDA(cudaMalloc(reinterpret_cast<void**>(&data), sizeof(float) * kSize * kSize));
  std::atomic<bool> over = false;
  std::thread other([&] { multiply_until(over, data); });
  cudaStream_t stream = nullptr;
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  int broken = 0;
  for (int round = 0; round < kRounds; ++round) {
    cudaGraph_t graph = nullptr;
    CHECK_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    bool good = true;
    for (int i = 0; i < kNodes; ++i)
      good = cudaMemsetAsync(data, 0, sizeof(float) * kSize, stream) == cudaSuccess && good;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    good = cudaStreamEndCapture(stream, &graph) == cudaSuccess && good;
    broken += good ? 0 : 1;
    if (graph != nullptr) CHECK_CUDA(cudaGraphDestroy(graph));
  }
  over = true;
  other.join();
  std::printf("%d captures, %d broken\n", kRounds, broken);
  return broken == 0 ? 0 : 1;
}
