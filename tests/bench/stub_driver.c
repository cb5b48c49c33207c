/* A driver whose calls do nothing at all, so that what a launch costs under the recorder, less what
   it costs bare, is the recorder's own. */
#include <stddef.h>

#define STUB(name, ...)   \
  int name(__VA_ARGS__) { \
    return 0;             \
  }

STUB(cuInit, unsigned flags)
STUB(cuModuleUnload, void* module)

int cuDeviceGetCount(int* count) {
  *count = 0;
  return 0;
}

int cuCtxGetCurrent(void** context) {
  static int current;
  *context = &current;
  return 0;
}

int cuCtxGetDevice(int* device) {
  *device = 0;
  return 0;
}

int cuModuleGetFunction(void** function, void* module, const char* name) {
  (void)module, (void)name;
  static int kernel;
  *function = &kernel;
  return 0;
}

int cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   void* stream, void** parameters, void** extra) {
  (void)function, (void)grid_x, (void)grid_y, (void)grid_z, (void)block_x, (void)block_y,
      (void)block_z;
  (void)shared, (void)stream, (void)parameters, (void)extra;
  return 0;
}
