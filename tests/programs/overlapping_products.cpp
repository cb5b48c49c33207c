// Gradients of inputs and of weights, product by product side by side on two streams. All are
// queued while other products run, so that when each begins depends on the device alone.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <thread>

#include "support/check.hpp"

namespace {

constexpr int kSize = 2048, kFirst = 16384, kAhead = 16, kRounds = 50;

struct Stream {
  cudaStream_t handle = nullptr;
  cublasHandle_t blas = nullptr;
  cudaEvent_t done = nullptr;

  Stream() {
    CHECK_CUDA(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking));
    CHECK_CUDA(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    CHECK_CUBLAS(cublasCreate(&blas));
    CHECK_CUBLAS(cublasSetStream(blas, handle));
  }
  void multiply(float* data, int n) const {
    const float one = 1;
    CHECK_CUBLAS(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, data, n, data, n, &one,
                             data, n));
  }
  void wait_for(const Stream& other) const {
    CHECK_CUDA(cudaEventRecord(other.done, other.handle));
    CHECK_CUDA(cudaStreamWaitEvent(handle, other.done, 0));
  }
};

}  // namespace

int main() {
  float* data = nullptr;
  CHECK_CUDA(cudaMalloc(reinterpret_cast<void**>(&data), sizeof(float) * kFirst * kFirst));
  const std::array<Stream, 2> streams;
  // Once, so that every library and stream is ready.
  for (const Stream& stream : streams) stream.multiply(data, kSize);
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < kAhead; ++i) streams[0].multiply(data, kFirst);
  for (int round = 0; round < kRounds; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    streams[1].wait_for(streams[0]);
    for (const Stream& stream : streams) stream.multiply(data, kSize);
    streams[0].wait_for(streams[1]);
  }
  CHECK_CUDA(cudaDeviceSynchronize());
  std::printf("%d pairs of products\n", kRounds);
  return 0;
}
