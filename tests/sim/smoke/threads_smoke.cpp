// Many threads at once, per-thread streams, work whose end others decide, and the legacy stream's
// rules.
#include <cuda.h>
#include <dlfcn.h>

#include <atomic>
#include <thread>
#include <vector>

#include "expect.hpp"
#include "mfusim/driver.h"

#define OK(call) EXPECT((call) == CUDA_SUCCESS)

namespace {

constexpr int kThreads = 4, kLaunches = 200;

CUfunction load(const char* name, MfusimCostKind cost) {
  const uint32_t size = sizeof(MfusimCost);
  const MfusimKernel kernel{name, cost, cost == MFUSIM_COST_PARAM0,
                            cost == MFUSIM_COST_PARAM0 ? &size : nullptr};
  const MfusimImage image{MFUSIM_IMAGE_MAGIC, 1, 1, &kernel};
  CUmodule module;
  CUfunction function;
  OK(cuModuleLoadData(&module, &image));
  OK(cuModuleGetFunction(&function, module, name));
  return function;
}

void launch(CUfunction function, MfusimCost cost, CUstream stream) {
  void* arguments[] = {&cost};
  OK(cuLaunchKernel(function, 4, 1, 1, 64, 1, 1, 0, stream, arguments, nullptr));
}

// A stream of 0 is each thread's own in the per-thread twin.
void launch_from_threads(CUcontext context) {
  const CUfunction plain = load("threads_kernel", MFUSIM_COST_GEOMETRY);
  void* twin = nullptr;
  OK(cuGetProcAddress("cuLaunchKernel", &twin, 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
                      nullptr));
  const auto launch_own = reinterpret_cast<decltype(&cuLaunchKernel)>(twin);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      OK(cuCtxSetCurrent(context));
      CUevent event;
      OK(cuEventCreate(&event, CU_EVENT_DEFAULT));
      for (int i = 0; i < kLaunches; ++i) {
        OK(launch_own(plain, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr));
        OK(cuEventRecord(event, CU_STREAM_PER_THREAD));
      }
      OK(cuEventSynchronize(event));
      OK(cuEventDestroy(event));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// A kernel that ends when a host function of another stream says so; a copy behind it waits for
// both.
void check_poll(CUfunction costed) {
  CUstream waiting, freeing;
  OK(cuStreamCreate(&waiting, CU_STREAM_NON_BLOCKING));
  OK(cuStreamCreate(&freeing, CU_STREAM_NON_BLOCKING));
  std::atomic<bool> released{false};
  MfusimCost cost{};
  cost.dtype = -1;
  cost.is_comm = 1;
  cost.context = &released;
  cost.poll = [](void* context, uint64_t, uint64_t now, uint64_t* end) {
    if (!static_cast<std::atomic<bool>*>(context)->load()) return 0;
    *end = now;
    return 1;
  };
  CUdeviceptr memory;
  OK(cuMemAlloc(&memory, 64));
  unsigned char got = 0;
  launch(costed, cost, waiting);
  OK(cuMemsetD8Async(memory, 9, 64, waiting));
  OK(cuMemcpyDtoHAsync(&got, memory, 1,
                       freeing));  // pageable: returns when done, and is not behind the kernel
  EXPECT(cuStreamQuery(waiting) == CUDA_ERROR_NOT_READY);
  OK(cuLaunchHostFunc(
      freeing, [](void* flag) { static_cast<std::atomic<bool>*>(flag)->store(true); }, &released));
  OK(cuStreamSynchronize(waiting));
  EXPECT(released.load());
  OK(cuMemcpyDtoH(&got, memory, 1));
  EXPECT(got == 9);
  OK(cuStreamDestroy(waiting));
  OK(cuStreamDestroy(freeing));
}

float between(CUevent a, CUevent b) {
  float milliseconds = 0;
  OK(cuEventElapsedTime(&milliseconds, a, b));
  return milliseconds;
}

// The legacy stream comes after blocking streams' work and before their next; a non-blocking stream
// is on its own.
void check_legacy(CUfunction costed) {
  MfusimCost cost{};
  cost.dtype = -1;
  cost.fixed_ns = 3'000'000;
  CUstream blocking, free;
  OK(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
  OK(cuStreamCreate(&free, CU_STREAM_NON_BLOCKING));
  CUevent first, legacy, second, alone;
  for (CUevent* event : {&first, &legacy, &second, &alone})
    OK(cuEventCreate(event, CU_EVENT_DEFAULT));
  launch(costed, cost, blocking);
  OK(cuEventRecord(first, blocking));
  launch(costed, cost, nullptr);
  OK(cuEventRecord(legacy, nullptr));
  OK(cuEventRecord(second, blocking));
  OK(cuEventRecord(alone, free));
  OK(cuCtxSynchronize());
  EXPECT(between(first, legacy) >= 3);
  EXPECT(between(legacy, second) >= 0);
  EXPECT(between(legacy, alone) < 0);
}

}  // namespace

int main() {
  OK(cuInit(0));
  CUcontext context;
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuCtxSetCurrent(context));
  const CUfunction costed = load("costed_kernel", MFUSIM_COST_PARAM0);
  launch_from_threads(context);
  check_poll(costed);
  check_legacy(costed);
  return 0;
}
