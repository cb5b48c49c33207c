// The vendor's own runtime library on the simulated driver: an error, never a crash and never a
// device.
#include <cuda_runtime_api.h>

#include "expect.hpp"

int main() {
  int count = 0;
  EXPECT(cudaGetDeviceCount(&count) != cudaSuccess);
  void* memory = nullptr;
  EXPECT(cudaMalloc(&memory, 1) != cudaSuccess && memory == nullptr);
  return 0;
}
