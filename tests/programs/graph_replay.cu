// Work captured once into a CUDA graph and replayed 20 times.
#include <cuda_runtime_api.h>

#include <cstdio>

#include "support/check.hpp"
#include "support/launch.hpp"

namespace graph_replay {

__global__ void scale(float* data, float factor, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) data[i] *= factor;
}

__global__ void shift(float* data, float offset, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) data[i] += offset;
}

}  // namespace graph_replay

int main() {
  constexpr int kCount = 1 << 20, kReplays = 20;
  cudaStream_t stream = nullptr;
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  float* data = nullptr;
  CHECK_CUDA(cudaMalloc(&data, kCount * sizeof(float)));

  CHECK_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  CHECK_CUDA(cudaMemsetAsync(data, 0, kCount * sizeof(float), stream));
  for (int pass = 0; pass < 3; ++pass) {
    LAUNCH(graph_replay::shift, kCount / 256, 256, 0, stream, data, 1.0F, kCount);
    LAUNCH(graph_replay::scale, kCount / 256, 256, 0, stream, data, 2.0F, kCount);
  }
  CHECK_CUDA(cudaGetLastError());
  cudaGraph_t graph = nullptr;
  CHECK_CUDA(cudaStreamEndCapture(stream, &graph));
  size_t nodes = 0;
  CHECK_CUDA(cudaGraphGetNodes(graph, nullptr, &nodes));
  cudaGraphExec_t executable = nullptr;
  CHECK_CUDA(cudaGraphInstantiate(&executable, graph, 0));
  for (int replay = 0; replay < kReplays; ++replay) {
    CHECK_CUDA(cudaGraphLaunch(executable, stream));
  }
  CHECK_CUDA(cudaStreamSynchronize(stream));
  std::printf("%zu nodes replayed %d times\n", nodes, kReplays);

  CHECK_CUDA(cudaGraphExecDestroy(executable));
  CHECK_CUDA(cudaGraphDestroy(graph));
  CHECK_CUDA(cudaFree(data));
  CHECK_CUDA(cudaStreamDestroy(stream));
  return 0;
}
