// The CUPTI double as a profiler uses it. Prints its device records as JSON lines; check.py finds
// each of them in the truth file, number for number.
#include <cuda_runtime_api.h>
#include <cupti.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "expect.hpp"
#include "newest_records.hpp"

#define OK(call) EXPECT((call) == cudaSuccess)
#define CUPTI_OK(call) EXPECT((call) == CUPTI_SUCCESS)

extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*,
                            dim3*, int*);
}

namespace {

using namespace mfusim::cupti;

constexpr uint64_t kExternalId = 77;
constexpr int kPlain = 20, kCaptured = 4, kReplays = 2;

struct Seen {
  std::map<uint32_t, int> runtime, driver;  // correlation -> records
  std::set<uint32_t> kernels, external, graphs;
  uint32_t exec = 0;
  int kernel_records = 0, graph_kernels = 0;
  int entered = 0, left = 0, named = 0;  // by the callback interface, for launches
};
Seen g_seen;

void request(uint8_t** buffer, size_t* bytes, size_t* records) {
  *bytes = 4096;  // small, so that several are needed
  *buffer = static_cast<uint8_t*>(aligned_alloc(8, *bytes));
  *records = 0;
}

template <typename T>
void print(const char* kind, const T& r) {
  printf(
      "{\"t\":\"%s\",\"start\":%llu,\"end\":%llu,\"corr\":%u,\"stream\":%u,\"ctx\":%u,\"graph\":%u,"
      "\"node\":%llu}\n",
      kind, (unsigned long long)r.start, (unsigned long long)r.end, r.correlationId, r.streamId,
      r.contextId, r.graphId, (unsigned long long)r.graphNodeId);
}

void see(const CUpti_Activity* record) {
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
      const auto& k = *reinterpret_cast<const KernelRecord*>(record);
      print("kernel", k);
      g_seen.kernels.insert(k.correlationId);
      ++g_seen.kernel_records;
      g_seen.graph_kernels += k.graphId != 0;
      if (k.graphId) g_seen.graphs.insert(k.graphId);
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      print("copy", *reinterpret_cast<const CopyRecord*>(record));
      break;
    case CUPTI_ACTIVITY_KIND_MEMSET:
      print("set", *reinterpret_cast<const SetRecord*>(record));
      break;
    case CUPTI_ACTIVITY_KIND_RUNTIME:
      ++g_seen.runtime[reinterpret_cast<const ApiRecord*>(record)->correlationId];
      break;
    case CUPTI_ACTIVITY_KIND_DRIVER:
      ++g_seen.driver[reinterpret_cast<const ApiRecord*>(record)->correlationId];
      break;
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
      const auto& e = *reinterpret_cast<const ExternalRecord*>(record);
      EXPECT(e.externalId == kExternalId);
      g_seen.external.insert(e.correlationId);
      break;
    }
    default:
      EXPECT(!"a kind that was not enabled");
  }
}

void complete(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) see(record);
  free(buffer);
}

void callback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId cbid, const void* data) {
  if (domain != CUPTI_CB_DOMAIN_DRIVER_API || cbid != CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel)
    return;
  const auto& info = *static_cast<const CUpti_CallbackData*>(data);
  if (info.callbackSite == CUPTI_API_ENTER) {
    ++g_seen.entered;
    *info.correlationData = info.correlationId;
  } else {
    ++g_seen.left;
    EXPECT(*info.correlationData == info.correlationId);
  }
  g_seen.named += info.symbolName && std::string(info.symbolName) == "profiled_kernel";
}

void subscribe() {
  CUpti_SubscriberHandle first, second;
  CUPTI_OK(cuptiSubscribe(&first, callback, nullptr));
  EXPECT(cuptiSubscribe(&second, callback, nullptr) ==
         CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  CUPTI_OK(cuptiEnableCallback(1, first, CUPTI_CB_DOMAIN_DRIVER_API,
                               CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel));
  CUPTI_OK(cuptiActivityRegisterCallbacks(request, complete));
  for (auto kind : {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                    CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_RUNTIME,
                    CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION}) {
    CUPTI_OK(cuptiActivityEnable(kind));
  }
}

void host_stub() {}

void work() {
  void** binary = __cudaRegisterFatBinary(nullptr);
  char name[] = "profiled_kernel";
  const auto* function = reinterpret_cast<const char*>(&host_stub);
  __cudaRegisterFunction(binary, function, name, name, -1, nullptr, nullptr, nullptr, nullptr,
                         nullptr);
  __cudaRegisterFatBinaryEnd(binary);
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  void* device;
  std::vector<char> host(1000);
  OK(cudaMalloc(&device, host.size()));
  OK(cudaMemcpy(device, host.data(), host.size(), cudaMemcpyHostToDevice));
  OK(cudaMemset(device, 0, host.size()));
  for (int i = 0; i < kPlain; ++i)
    OK(cudaLaunchKernel(function, dim3(8), dim3(128), nullptr, 0, stream));
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < kCaptured; ++i)
    OK(cudaLaunchKernel(function, dim3(8), dim3(128), nullptr, 0, stream));
  OK(cudaStreamEndCapture(stream, &graph));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  CUPTI_OK(
      cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, kExternalId));
  for (int i = 0; i < kReplays; ++i) OK(cudaGraphLaunch(exec, stream));
  CUPTI_OK(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, nullptr));
  OK(cudaMemcpy(host.data(), device, host.size(), cudaMemcpyDeviceToHost));
  OK(cudaDeviceSynchronize());
  CUPTI_OK(cuptiGetGraphExecId(exec, &g_seen.exec));
}

}  // namespace

int main() {
  OK(cudaFree(nullptr));
  subscribe();
  work();
  CUPTI_OK(cuptiActivityFlushAll(0));
  EXPECT(g_seen.kernel_records == kPlain + kCaptured * kReplays);
  EXPECT(g_seen.graph_kernels == kCaptured * kReplays);
  EXPECT(g_seen.kernels.size() ==
         kPlain + kReplays);  // the kernels of a replay share the launch's id
  for (const uint32_t id : g_seen.kernels)
    EXPECT(g_seen.runtime[id] == 1 && g_seen.driver[id] == 0);
  EXPECT(g_seen.graphs == std::set<uint32_t>{g_seen.exec});
  EXPECT(g_seen.external.size() == kReplays);
  for (const uint32_t id : g_seen.external) EXPECT(g_seen.kernels.count(id));
  EXPECT(g_seen.entered == kPlain + kCaptured && g_seen.left == g_seen.entered);
  EXPECT(g_seen.named == 2 * g_seen.entered);
  size_t dropped = 1;
  CUPTI_OK(cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped));
  EXPECT(dropped == 0);
  return 0;
}
