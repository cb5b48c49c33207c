// Calls what is newer than the headers of the build, on stand-ins (doors/newest_*.c), and says on
// stdout what the recorder must have seen: "copy SYMBOL BYTES KIND STREAM" or
// "call|launch|sync SYMBOL".
#include <cuda.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace {

const auto kStream = reinterpret_cast<void*>(0x1000);

template <class... Args>
void call(void* library, const char* name, const char* seen, Args... args) {
  const auto function = reinterpret_cast<int (*)(Args...)>(dlsym(library, name));
  if (function == nullptr) std::fprintf(stderr, "no %s\n", name), std::exit(1);
  if (function(args...) != 0) std::exit(1);
  std::printf(seen, name);
}

void driver_calls(void* driver) {
  const CUdeviceptr to = 1, from = 2;
  void* const none = nullptr;
  const auto size = [](int bytes) { return std::size_t(bytes); };
  call(driver, "cuMemcpyWithAttributesAsync", "copy %s 11 unknown own\n", to, from, size(11), none,
       kStream);
  call(driver, "cuMemcpyWithAttributesAsync_ptsz", "copy %s 12 unknown thread\n", to, from,
       size(12), none, none);
  CUDA_MEMCPY3D_BATCH_OP box = {};
  box.extent = {2, 3, 4};
  call(driver, "cuMemcpy3DWithAttributesAsync", "copy %s 24 unknown own\n", &box, 0ull, kStream);
  call(driver, "cuFabricCpyBatchAsync", "copy %s 0 unknown own\n", size(3), none, 0ull, kStream);
  call(driver, "cuLaunchHostFunc_v2", "call %s\n", kStream, none, none, 0u);
  call(driver, "cuLaunchHostFunc_v2_ptsz", "call %s\n", kStream, none, none, 0u);
  call(driver, "cuGraphAddNode_v3", "call %s\n", none, none, none, none, size(0), none);
  call(driver, "cuMulticastBindMem_v2", "call %s\n", 1ull, 0, size(0), 2ull, size(0), size(4096),
       0ull);
  call(driver, "cuStreamBeginCaptureToCig", "call %s\n", kStream, none);
  call(driver, "cuStreamEndCaptureToCig", "call %s\n", kStream);
  call(driver, "cuStreamBeginRecaptureToGraph", "call %s\n", kStream, 0, none, none, none);
  call(driver, "cuStreamEndCapture", "call %s\n", kStream, none);
}

void runtime_calls(void* runtime) {
  void* const none = nullptr;
  call(runtime, "cudaMemcpyWithAttributesAsync", "copy %s 21 unknown own\n", none, none,
       std::size_t(21), none, kStream);
  call(runtime, "cudaMemcpy3DWithAttributesAsync", "copy %s 0 unknown own\n", none, 0ull, kStream);
  call(runtime, "cudaLaunchCooperativeKernelMultiDevice", "launch %s\n", none, 0u, 0u);
  call(runtime, "cudaLaunchHostFunc_v2", "call %s\n", kStream, none, none, 0u);
  call(runtime, "cudaExecutionCtxSynchronize", "sync %s\n", none);
  call(runtime, "cudaThreadSynchronize", "sync %s\n");
  call(runtime, "cudaStreamBeginRecaptureToGraph", "call %s\n", kStream, 0, none, none);
  call(runtime, "cudaStreamEndCapture", "call %s\n", kStream, none);
}

}  // namespace

int main(int, char** argv) {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  void* const runtime = dlopen(argv[1], RTLD_NOW);
  if (driver == nullptr || runtime == nullptr) return std::fprintf(stderr, "%s\n", dlerror()), 1;
  driver_calls(driver);
  runtime_calls(runtime);
}
