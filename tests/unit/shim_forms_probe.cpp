// Calls every form of copy and memory set that is intercepted, each with a size of its own, and
// calls of memory and graphs; says on stdout what the recorder must therefore have seen: "copy|set
// SYMBOL BYTES KIND STREAM" or "call|sync SYMBOL".
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr unsigned kPitch = 64;

void* g_driver;
void* g_runtime;
CUstream g_stream;
CUdeviceptr g_to, g_from;
std::vector<char> g_host(1 << 16);

void* find(void* library, const char* name) {
  void* const function = dlsym(library, name);
  if (function == nullptr) std::fprintf(stderr, "no %s\n", name), std::exit(1);
  return function;
}

#define DRIVER(symbol) reinterpret_cast<decltype(&symbol)>(find(g_driver, #symbol))
#define RUNTIME(symbol) reinterpret_cast<decltype(&symbol)>(find(g_runtime, #symbol))

void check(int result) {
  if (result != 0) std::fprintf(stderr, "result %d\n", result), std::exit(1);
}

// What the call just made must have left.
void copied(const char* symbol, unsigned long bytes, const char* kind, const char* stream) {
  std::printf("copy %s %lu %s %s\n", symbol, bytes, kind, stream);
}
void set(const char* symbol, unsigned long bytes, const char* stream) {
  std::printf("set %s %lu - %s\n", symbol, bytes, stream);
}

#define COPY(library, symbol, bytes, kind, stream, ...) \
  check(library(symbol)(__VA_ARGS__)), copied(#symbol, bytes, #kind, stream)
#define CALL(library, symbol, ...) check(library(symbol)(__VA_ARGS__)), std::puts("call " #symbol)
#define SET(library, symbol, bytes, stream, ...) \
  check(library(symbol)(__VA_ARGS__)), set(#symbol, bytes, stream)

CUDA_MEMCPY2D rectangle(unsigned width, unsigned height, CUmemorytype from, CUmemorytype to) {
  CUDA_MEMCPY2D c = {};
  c.srcMemoryType = from;
  c.srcHost = g_host.data();
  c.srcDevice = g_from;
  c.srcPitch = kPitch;
  c.dstMemoryType = to;
  c.dstHost = g_host.data();
  c.dstDevice = g_to;
  c.dstPitch = kPitch;
  c.WidthInBytes = width;
  c.Height = height;
  return c;
}

void driver_copies() {
  char* const host = g_host.data();
  COPY(DRIVER, cuMemcpy, 11, unknown, "none", g_to, g_from, 11);
  COPY(DRIVER, cuMemcpy_ptds, 12, unknown, "none", g_to, g_from, 12);
  COPY(DRIVER, cuMemcpyAsync, 13, unknown, "own", g_to, g_from, 13, g_stream);
  COPY(DRIVER, cuMemcpyAsync_ptsz, 14, unknown, "thread", g_to, g_from, 14, nullptr);
  COPY(DRIVER, cuMemcpyHtoD_v2, 15, host_to_device, "none", g_to, host, 15);
  COPY(DRIVER, cuMemcpyHtoD_v2_ptds, 16, host_to_device, "none", g_to, host, 16);
  COPY(DRIVER, cuMemcpyHtoDAsync_v2, 17, host_to_device, "own", g_to, host, 17, g_stream);
  COPY(DRIVER, cuMemcpyHtoDAsync_v2_ptsz, 18, host_to_device, "thread", g_to, host, 18, nullptr);
  COPY(DRIVER, cuMemcpyDtoH_v2, 19, device_to_host, "none", host, g_from, 19);
  COPY(DRIVER, cuMemcpyDtoHAsync_v2, 20, device_to_host, "default", host, g_from, 20, nullptr);
  COPY(DRIVER, cuMemcpyDtoD_v2, 21, device_to_device, "none", g_to, g_from, 21);
  COPY(DRIVER, cuMemcpyDtoDAsync_v2, 22, device_to_device, "own", g_to, g_from, 22, g_stream);
  const CUDA_MEMCPY2D up = rectangle(5, 5, CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE);
  COPY(DRIVER, cuMemcpy2D_v2, 25, host_to_device, "none", &up);
  const CUDA_MEMCPY2D down = rectangle(13, 2, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST);
  COPY(DRIVER, cuMemcpy2DUnaligned_v2, 26, device_to_host, "none", &down);
  const CUDA_MEMCPY2D across = rectangle(9, 3, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_DEVICE);
  COPY(DRIVER, cuMemcpy2DAsync_v2, 27, device_to_device, "own", &across, g_stream);
  CUcontext context = nullptr;
  check(DRIVER(cuCtxGetCurrent)(&context));
  COPY(DRIVER, cuMemcpyPeer, 28, peer, "none", g_to, context, g_from, context, 28);
  COPY(DRIVER, cuMemcpyPeerAsync, 29, peer, "own", g_to, context, g_from, context, 29, g_stream);
}

void driver_sets() {
  SET(DRIVER, cuMemsetD8_v2, 31, "none", g_to, 1, 31);
  SET(DRIVER, cuMemsetD16_v2, 2 * 32, "none", g_to, 1, 32);
  SET(DRIVER, cuMemsetD32_v2, 4 * 33, "none", g_to, 1, 33);
  SET(DRIVER, cuMemsetD8Async, 34, "own", g_to, 1, 34, g_stream);
  SET(DRIVER, cuMemsetD16Async, 2 * 35, "own", g_to, 1, 35, g_stream);
  SET(DRIVER, cuMemsetD32Async, 4 * 36, "own", g_to, 1, 36, g_stream);
  SET(DRIVER, cuMemsetD8Async_ptsz, 37, "thread", g_to, 1, 37, nullptr);
  SET(DRIVER, cuMemsetD2D8_v2, 7 * 3, "none", g_to, kPitch, 1, 7, 3);
  SET(DRIVER, cuMemsetD2D32_v2, 4 * 7 * 3, "none", g_to, kPitch, 1, 7, 3);
  SET(DRIVER, cuMemsetD2D16Async, 2 * 11 * 3, "own", g_to, kPitch, 1, 11, 3, g_stream);
  SET(DRIVER, cuStreamWriteValue32, 4, "own", g_stream, g_to, 1, 0);
  SET(DRIVER, cuStreamWriteValue32_ptsz, 4, "thread", nullptr, g_to, 1, 0);
  SET(DRIVER, cuStreamWriteValue32_v2, 4, "default", nullptr, g_to, 1, 0);
  SET(DRIVER, cuStreamWriteValue32_v2_ptsz, 4, "own", g_stream, g_to, 1, 0);
  SET(DRIVER, cuStreamWriteValue64, 8, "own", g_stream, g_to, 1, 0);
  SET(DRIVER, cuStreamWriteValue64_ptsz, 8, "thread", nullptr, g_to, 1, 0);
  SET(DRIVER, cuStreamWriteValue64_v2, 8, "default", nullptr, g_to, 1, 0);
  SET(DRIVER, cuStreamWriteValue64_v2_ptsz, 8, "own", g_stream, g_to, 1, 0);
}

// The driver's call beneath knows the stream and the bytes; the kind is the runtime's.
void runtime_calls() {
  void* const to = reinterpret_cast<void*>(g_to);
  const void* const from = reinterpret_cast<const void*>(g_from);
  char* const host = g_host.data();
  COPY(RUNTIME, cudaMemcpy, 41, host_to_device, "none", to, host, 41, cudaMemcpyHostToDevice);
  COPY(RUNTIME, cudaMemcpy, 42, device_to_host, "none", host, from, 42, cudaMemcpyDeviceToHost);
  COPY(RUNTIME, cudaMemcpyAsync, 43, device_to_device, "own", to, from, 43,
       cudaMemcpyDeviceToDevice, g_stream);
  COPY(RUNTIME, cudaMemcpyAsync, 44, host_to_device, "default", to, host, 44,
       cudaMemcpyHostToDevice, nullptr);
  COPY(RUNTIME, cudaMemcpy2D, 9 * 5, host_to_device, "none", to, kPitch, host, kPitch, 9, 5,
       cudaMemcpyHostToDevice);
  COPY(RUNTIME, cudaMemcpy2DAsync, 23 * 2, device_to_host, "own", host, kPitch, from, kPitch, 23, 2,
       cudaMemcpyDeviceToHost, g_stream);
  SET(RUNTIME, cudaMemset, 51, "none", to, 0, 51);
  SET(RUNTIME, cudaMemsetAsync, 52, "own", to, 0, 52, g_stream);
  SET(RUNTIME, cudaMemset2D, 53, "none", to, kPitch, 0, 53, 1);
  SET(RUNTIME, cudaMemset2DAsync, 54, "own", to, kPitch, 0, 27, 2, g_stream);
}

// Each is one record, the runtime's with the driver's call beneath it too.
void memory_calls() {
  CUmemAllocationProp pinned = {};
  pinned.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  pinned.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  CUmemAccessDesc access = {pinned.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  const std::size_t bytes = 2 << 20;
  CUdeviceptr range = 0;
  CUmemGenericAllocationHandle memory = 0;
  CALL(DRIVER, cuMemAddressReserve, &range, bytes, 0, 0, 0);
  CALL(DRIVER, cuMemCreate, &memory, bytes, &pinned, 0);
  CALL(DRIVER, cuMemMap, range, bytes, 0, memory, 0);
  CALL(DRIVER, cuMemSetAccess, range, bytes, &access, 1);
  CALL(DRIVER, cuMemUnmap, range, bytes);
  CALL(DRIVER, cuMemRelease, memory);
  CALL(DRIVER, cuMemAddressFree, range, bytes);

  CUmemPoolProps properties = {};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = pinned.location;
  CUmemoryPool pool = nullptr;
  CALL(DRIVER, cuMemPoolCreate, &pool, &properties);
  CALL(DRIVER, cuMemPoolTrimTo, pool, 0);
  CALL(DRIVER, cuMemPoolDestroy, pool);

  CALL(DRIVER, cuMemHostRegister_v2, g_host.data(), g_host.size(), 0);
  CALL(DRIVER, cuMemHostUnregister, g_host.data());
  CALL(RUNTIME, cudaHostRegister, g_host.data(), g_host.size(), 0);
  CALL(RUNTIME, cudaHostUnregister, g_host.data());
}

void graph_calls() {
  CUgraph graph = nullptr, copy = nullptr;
  CUgraphNode node = nullptr;
  CUcontext context = nullptr;
  check(DRIVER(cuCtxGetCurrent)(&context));
  check(DRIVER(cuGraphCreate)(&graph, 0));
  CUDA_MEMSET_NODE_PARAMS set = {};
  set.dst = g_to;
  set.elementSize = 1;
  set.width = 8;
  set.height = 1;
  CUDA_HOST_NODE_PARAMS host = {[](void*) {}, nullptr};
  CALL(DRIVER, cuGraphAddMemsetNode, &node, graph, nullptr, 0, &set, context);
  CALL(DRIVER, cuGraphAddHostNode, &node, graph, nullptr, 0, &host);
  CALL(DRIVER, cuGraphClone, &copy, graph);
}

// Runtime functions whose arguments differ between the majors under one name: the driver's call
// beneath is the record, once.
void calls_of_changing_arguments() {
  int version = 0;
  check(RUNTIME(cudaRuntimeGetVersion)(&version));
  CUdeviceptr to[] = {g_to, g_to + 64}, from[] = {g_from, g_from + 64};
  std::size_t sizes[] = {61, 2}, first = 0;
  CUmemcpyAttributes attributes = {};
  attributes.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  void* const batch = find(g_runtime, "cudaMemcpyBatchAsync");
  const std::size_t two = 2, one = 1;
  if (version >= 13000) {
    const auto copy =
        reinterpret_cast<int (*)(CUdeviceptr*, CUdeviceptr*, std::size_t*, std::size_t,
                                 CUmemcpyAttributes*, std::size_t*, std::size_t, CUstream)>(batch);
    check(copy(to, from, sizes, two, &attributes, &first, one, g_stream));
    copied("cuMemcpyBatchAsync_v2", 63, "unknown", "own");
  } else {
    std::size_t failed = 0;
    const auto copy = reinterpret_cast<int (*)(CUdeviceptr*, CUdeviceptr*, std::size_t*,
                                               std::size_t, CUmemcpyAttributes*, std::size_t*,
                                               std::size_t, std::size_t*, CUstream)>(batch);
    check(copy(to, from, sizes, two, &attributes, &first, one, &failed, g_stream));
    copied("cuMemcpyBatchAsync", 63, "unknown", "own");
  }
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  cudaGraphExecUpdateResultInfo outcome = {};
  check(RUNTIME(cudaGraphCreate)(&graph, 0));
  check(RUNTIME(cudaGraphInstantiate)(&executable, graph, 0));
  std::puts("graph cuGraphInstantiateWithFlags");
  check(RUNTIME(cudaGraphExecUpdate)(executable, graph, &outcome));
  std::puts("graph cuGraphExecUpdate_v2");
  check(RUNTIME(cudaGraphExecDestroy)(executable));
  std::puts("call cudaGraphExecDestroy");
}

}  // namespace

int main(int, char** argv) {
  g_driver = dlopen("libcuda.so.1", RTLD_NOW);
  g_runtime = dlopen(argv[1], RTLD_NOW);
  if (g_driver == nullptr || g_runtime == nullptr)
    return std::fprintf(stderr, "%s\n", dlerror()), 1;
  check(RUNTIME(cudaSetDevice)(0));
  check(DRIVER(cuStreamCreate)(&g_stream, CU_STREAM_NON_BLOCKING));
  check(DRIVER(cuMemAlloc_v2)(&g_to, g_host.size()));
  check(DRIVER(cuMemAlloc_v2)(&g_from, g_host.size()));
  driver_copies();
  driver_sets();
  runtime_calls();
  memory_calls();
  graph_calls();
  calls_of_changing_arguments();
  check(DRIVER(cuCtxSynchronize)());
  std::puts("sync cuCtxSynchronize");
}
