// The driver double by itself: linked as programs link libcuda. What it must have done is checked
// by check.py.
#include <cuda.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "expect.hpp"
#include "mfusim/driver.h"

#define OK(call) EXPECT((call) == CUDA_SUCCESS)

namespace {

constexpr double kFlops = 1e9;

uint64_t now() {
  timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return uint64_t(t.tv_sec) * 1'000'000'000u + uint64_t(t.tv_nsec);
}

struct Kernels {
  CUmodule module;
  CUfunction costed, plain;
};

Kernels load() {
  const uint32_t cost_size = sizeof(MfusimCost);
  const MfusimKernel described[] = {{"costed_kernel", MFUSIM_COST_PARAM0, 1, &cost_size},
                                    {"plain_kernel", MFUSIM_COST_GEOMETRY, 0, nullptr}};
  const MfusimImage image{MFUSIM_IMAGE_MAGIC, 1, 2, described};
  Kernels k;
  OK(cuModuleLoadData(&k.module, &image));
  OK(cuModuleGetFunction(&k.costed, k.module, "costed_kernel"));
  OK(cuModuleGetFunction(&k.plain, k.module, "plain_kernel"));
  EXPECT(cuModuleGetFunction(&k.plain, k.module, "absent") == CUDA_ERROR_NOT_FOUND);
  OK(cuModuleGetFunction(&k.plain, k.module, "plain_kernel"));
  return k;
}

void launch(CUfunction f, CUstream stream, MfusimCost* cost = nullptr) {
  void* arguments[] = {cost};
  OK(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, stream, cost ? arguments : nullptr, nullptr));
}

// A long kernel really occupies its stream: not finished at once, finished after the wait.
void check_waiting(const Kernels& k, CUstream stream) {
  MfusimCost cost{kFlops, 0, 20'000'000, -1, 0, nullptr, nullptr};
  CUevent begin, end;
  OK(cuEventCreate(&begin, 0));
  OK(cuEventCreate(&end, 0));
  OK(cuEventRecord(begin, stream));
  const uint64_t launched = now();
  launch(k.costed, stream, &cost);
  OK(cuEventRecord(end, stream));
  EXPECT(cuEventQuery(end) == CUDA_ERROR_NOT_READY);
  OK(cuEventSynchronize(end));
  EXPECT(now() >= launched + cost.fixed_ns);
  OK(cuEventQuery(end));
  OK(cuStreamQuery(stream));
  float milliseconds = 0;
  OK(cuEventElapsedTime(&milliseconds, begin, end));
  EXPECT(milliseconds >= 20);
}

// Copies, a host function, a memset and a written value take effect in stream order.
void check_payload(CUstream stream) {
  CUdeviceptr device;
  std::vector<uint32_t> sent(1000), got(1000);
  for (uint32_t i = 0; i < sent.size(); ++i) sent[i] = i;
  const size_t bytes = sent.size() * sizeof(uint32_t);
  OK(cuMemAlloc(&device, bytes));
  OK(cuMemcpyHtoDAsync(device, sent.data(), bytes, stream));
  OK(cuMemsetD32Async(device, 7, 10, stream));
  OK(cuStreamWriteValue64(stream, device + 20 * sizeof(uint32_t), 0x500000003, 0));
  OK(cuMemcpyDtoHAsync(got.data(), device, bytes, stream));
  int order = 0;
  OK(cuLaunchHostFunc(
      stream, [](void* data) { *static_cast<int*>(data) = 1; }, &order));
  OK(cuStreamSynchronize(stream));
  EXPECT(order == 1 && got[0] == 7 && got[9] == 7 && got[10] == 10 && got[999] == 999);
  EXPECT(got[19] == 19 && got[20] == 3 && got[21] == 5 && got[22] == 22);
  OK(cuMemFree(device));
}

// Two kernels and an event join of a second stream, captured and replayed three times.
void check_graph(const Kernels& k, CUstream stream, CUstream other) {
  MfusimCost cost{kFlops, 0, 0, -1, 0, nullptr, nullptr};
  CUevent fork, join;
  OK(cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING));
  OK(cuEventCreate(&join, CU_EVENT_DISABLE_TIMING));
  OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  launch(k.costed, stream, &cost);
  OK(cuEventRecord(fork, stream));
  OK(cuStreamWaitEvent(other, fork, 0));
  launch(k.plain, other);
  OK(cuEventRecord(join, other));
  OK(cuStreamWaitEvent(stream, join, 0));
  CUgraph graph;
  OK(cuStreamEndCapture(stream, &graph));
  size_t nodes = 0;
  OK(cuGraphGetNodes(graph, nullptr, &nodes));
  EXPECT(nodes == 2);
  CUgraphExec exec;
  OK(cuGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 3; ++i) OK(cuGraphLaunch(exec, stream));
  OK(cuStreamSynchronize(stream));
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphDestroy(graph));
}

// In global mode a query from any thread breaks the capture; a relaxed thread may ask.
void check_capture_rules(const Kernels& k, CUstream stream) {
  CUevent event;
  OK(cuEventCreate(&event, 0));
  CUgraph graph;
  OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  launch(k.plain, stream);
  std::thread([&] {
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    OK(cuThreadExchangeStreamCaptureMode(&mode));
    OK(cuEventQuery(event));
  }).join();
  OK(cuStreamEndCapture(stream, &graph));
  OK(cuGraphDestroy(graph));

  OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  std::thread([&] { EXPECT(cuEventQuery(event) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED); }).join();
  EXPECT(cuStreamEndCapture(stream, &graph) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

// The doors: every ABI of cuGetProcAddress, the empty name, the per-thread twin, and what is
// refused.
void check_look_up() {
  void *found = nullptr, *twin = nullptr;
  CUdriverProcAddressQueryResult status;
  EXPECT(cuGetProcAddress("", &found, 0, 0, nullptr) != CUDA_SUCCESS);
  OK(cuGetProcAddress("cuLaunchKernel", &found, 4000, 0, &status));
  EXPECT(found == reinterpret_cast<void*>(&cuLaunchKernel));
  OK(cuGetProcAddress("cuLaunchKernel", &twin, 7000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
                      nullptr));
  EXPECT(twin && twin == dlsym(RTLD_DEFAULT, "cuLaunchKernel_ptsz"));
  EXPECT(cuGetProcAddress("cuLaunchKernelEx", &found, 11000, 0, &status) == CUDA_ERROR_NOT_FOUND);
  EXPECT(status == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  OK(cuGetProcAddress("cuGetProcAddress", &found, 11030, 0, nullptr));
  OK(cuGetProcAddress("cuGetProcAddress", &twin, 12000, 0, nullptr));
  EXPECT(found == dlsym(RTLD_DEFAULT, "cuGetProcAddress") &&
         twin == dlsym(RTLD_DEFAULT, "cuGetProcAddress_v2"));
  const void* table = &found;
  CUuuid any{};
  EXPECT(cuGetExportTable(&table, &any) != CUDA_SUCCESS && table == nullptr);
}

void check_fork() {
  const pid_t child = fork();
  if (child == 0) {
    int count = 0;
    const bool refused = cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED &&
                         cuInit(0) == CUDA_ERROR_NOT_INITIALIZED;
    _exit(refused ? 0 : 1);
  }
  int status = 0;
  EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace

int main() {
  int count = 0;
  EXPECT(cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED);
  OK(cuInit(0));
  OK(cuDeviceGetCount(&count));
  EXPECT(count == 1);
  CUcontext context;
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuCtxSetCurrent(context));
  const Kernels k = load();
  CUstream stream, other;
  OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
  check_look_up();
  check_waiting(k, stream);
  check_payload(stream);
  check_graph(k, stream, other);
  check_capture_rules(k, stream);
  for (int i = 0; i < 100; ++i) launch(k.plain, nullptr);
  CUarray array;
  EXPECT(cuArrayCreate(&array, nullptr) == CUDA_ERROR_NOT_SUPPORTED);
  OK(cuCtxSynchronize());
  check_fork();
  OK(cuModuleUnload(k.module));
  return 0;
}
