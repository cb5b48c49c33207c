// What the kernels of train_gpt have in common: how they are divided into blocks, what a block
// sums, and elements of either type as float.
#pragma once

#include <cuda_bf16.h>

#include <cmath>
#include <cstddef>

#include "../support/launch.hpp"

// Not anonymous: a kernel's name must be the linker's where nvcc did not register it.
namespace train_gpt {

constexpr int kBlock = 256;
constexpr int kPerThread = 4;

__device__ inline float load(const __nv_bfloat16* from, size_t i) {
  return __bfloat162float(from[i]);
}
__device__ inline float load(const float* from, size_t i) {
  return from[i];
}
__device__ inline void store(__nv_bfloat16* to, size_t i, float value) {
  to[i] = __float2bfloat16(value);
}
__device__ inline void store(float* to, size_t i, float value) {
  to[i] = value;
}

__device__ inline size_t first_of_thread() {
  return (static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x) * kPerThread;
}

inline unsigned blocks_for(size_t count) {
  return static_cast<unsigned>((count + kBlock * kPerThread - 1) / (kBlock * kPerThread));
}

// Sum over the block, the same on every thread.
__device__ inline float block_sum(float value, float* shared) {
  __syncthreads();
  shared[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = kBlock / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  return shared[0];
}

__device__ inline float block_max(float value, float* shared) {
  __syncthreads();
  shared[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = kBlock / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      shared[threadIdx.x] = fmaxf(shared[threadIdx.x], shared[threadIdx.x + half]);
    }
    __syncthreads();
  }
  return shared[0];
}

}  // namespace train_gpt
