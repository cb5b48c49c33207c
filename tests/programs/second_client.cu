// A program that profiles a part of itself: it takes CUPTI in the middle of its work, and lets go.
#include <cuda_runtime.h>
#include <cupti.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "support/check.hpp"
#include "support/launch.hpp"

#define CHECK_CUPTI(call)                              \
  do {                                                 \
    const CUptiResult check_result = (call);           \
    const char* check_text = "";                       \
    if (check_result != CUPTI_SUCCESS) {               \
      cuptiGetResultString(check_result, &check_text); \
      fail(#call, check_text, __FILE__, __LINE__);     \
    }                                                  \
  } while (0)

namespace second_client {

__global__ void touch(float* data) {
  data[threadIdx.x] += 1;
}

}  // namespace second_client

namespace {

constexpr size_t kBufferBytes = 1 << 20;
constexpr int kKernels = 20;
std::atomic<int> g_profiled = 0;

void CUPTIAPI wanted(uint8_t** buffer, size_t* bytes, size_t* records) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, kBufferBytes));
  *bytes = kBufferBytes;
  *records = 0;
}
void CUPTIAPI full(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  CUpti_Activity* record = nullptr;
  while (valid > 0 && cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
    g_profiled += record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  std::free(buffer);
}
void CUPTIAPI called(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

void pause(long milliseconds) {
  const timespec time = {milliseconds / 1000, milliseconds % 1000 * 1'000'000};
  nanosleep(&time, nullptr);
}

void work(float* data, int kernels) {
  for (int i = 0; i < kernels; ++i) {
    LAUNCH(second_client::touch, 1, 256, 0, nullptr, data);
    CHECK_CUDA(cudaGetLastError());
  }
  CHECK_CUDA(cudaDeviceSynchronize());
}

void profile(float* data) {
  CUpti_SubscriberHandle subscriber = nullptr;
  CHECK_CUPTI(cuptiSubscribe(&subscriber, called, nullptr));
  CHECK_CUPTI(cuptiActivityRegisterCallbacks(wanted, full));
  CHECK_CUPTI(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
  work(data, kKernels);
  CHECK_CUPTI(cuptiActivityFlushAll(0));
  CHECK_CUPTI(cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
  CHECK_CUPTI(cuptiUnsubscribe(subscriber));
  std::printf("profiled %d kernels\n", g_profiled.load());
}

}  // namespace

int main() {
  float* data = nullptr;
  CHECK_CUDA(cudaMalloc(&data, 256 * sizeof(float)));
  for (int round = 0; round < 3; ++round) {
    work(data, kKernels);
    profile(data);
    // Long enough for others to take CUPTI meanwhile.
    for (int i = 0; i < 40; ++i) {
      pause(50);
      work(data, 1);
    }
  }
  CHECK_CUDA(cudaFree(data));
  return 0;
}
