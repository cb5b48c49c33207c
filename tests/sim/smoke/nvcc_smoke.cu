// What the vendor's compiler makes of <<<>>>, against the runtime double.
#include <cuda_runtime.h>

#include "expect.hpp"

__global__ void scale(float* x, float a) {
  x[threadIdx.x] *= a;
}

int main() {
  float* x;
  EXPECT(cudaMalloc(&x, 4096) == cudaSuccess);
  for (int i = 0; i < 10; ++i) scale<<<1, 256>>>(x, 2.0f);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  EXPECT(cudaGetLastError() == cudaSuccess);
  return 0;
}
