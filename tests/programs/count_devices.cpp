// What launchers do: initialise the driver and count devices, and no work at all.
#include <cuda.h>
#include <dlfcn.h>

#include <cstdio>

int main() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver == nullptr) {
    std::fprintf(stderr, "count_devices: %s\n", dlerror());
    return 1;
  }
  const auto init = reinterpret_cast<decltype(&cuInit)>(dlsym(driver, "cuInit"));
  const auto count =
      reinterpret_cast<decltype(&cuDeviceGetCount)>(dlsym(driver, "cuDeviceGetCount"));
  int devices = 0;
  if (init == nullptr || count == nullptr || init(0) != CUDA_SUCCESS ||
      count(&devices) != CUDA_SUCCESS) {
    std::fprintf(stderr, "count_devices: the driver cannot be initialised\n");
    return 1;
  }
  std::printf("devices: %s\n", devices > 0 ? "some" : "none");
  return 0;
}
