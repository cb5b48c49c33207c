/* A driver with a few entry points in several ABIs; each returns a number of its own. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#define ENTRY(name, number) \
  int name(void) {          \
    return number;          \
  }
ENTRY(cuStreamSynchronize, 1)
ENTRY(cuStreamSynchronize_ptsz, 2)
ENTRY(cuMemFree, 3)
ENTRY(cuMemFree_v2, 4)
ENTRY(cuDeviceGetCount, 5)
ENTRY(cuLaunchTomorrow, 7)
int cuLaunchKernel(void* function, unsigned a, unsigned b, unsigned c, unsigned d, unsigned e,
                   unsigned f, unsigned shared, void* stream, void** arguments, void** extra) {
  (void)function, (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)shared;
  (void)stream, (void)arguments, (void)extra;
  return 0;
}
static ENTRY(mem_free_of_the_future, 6)

    /* Known by cuGetProcAddress alone: name, version and flags must tell which they are. */
    static ENTRY(copy, 0) static ENTRY(copy_per_thread,
                                       0) static ENTRY(upload, 0) static ENTRY(upload_v2, 0)

        int cuGetProcAddress(const char* name, void** function, int version, uint64_t flags);
int cuGetProcAddress_v2(const char* name, void** function, int version, uint64_t flags,
                        int* status);

/* As the vendor's: the variant is chosen by version, and the look-up itself can be looked up. */
static void* find(const char* name, int version, uint64_t flags) {
  if (strcmp(name, "cuStreamSynchronize") == 0)
    return flags == 2 && version >= 7000 ? (void*)cuStreamSynchronize_ptsz
                                         : (void*)cuStreamSynchronize;
  if (strcmp(name, "cuMemFree") == 0)
    return version >= 90000  ? (void*)mem_free_of_the_future
           : version >= 3020 ? (void*)cuMemFree_v2
                             : (void*)cuMemFree;
  if (strcmp(name, "cuMemcpyAsync") == 0)
    return flags == 2 && version >= 7000 ? (void*)copy_per_thread : (void*)copy;
  if (strcmp(name, "cuMemcpyHtoD") == 0) return version >= 3020 ? (void*)upload_v2 : (void*)upload;
  if (strcmp(name, "cuDeviceGetCount") == 0) return (void*)cuDeviceGetCount;
  if (strcmp(name, "cuGetProcAddress") == 0)
    return version >= 12000 ? (void*)cuGetProcAddress_v2 : (void*)cuGetProcAddress;
  return 0;
}

int cuGetProcAddress(const char* name, void** function, int version, uint64_t flags) {
  if (name[0] == 0) return 0;
  *function = find(name, version, flags);
  return *function != 0 ? 0 : 500;
}

int cuGetProcAddress_v2(const char* name, void** function, int version, uint64_t flags,
                        int* status) {
  if (status != 0) *status = 7;
  return cuGetProcAddress(name, function, version, flags);
}

/* What the driver itself finds under a name: its own function, never a hook. */
void* door_lookup_by_driver(const char* name) {
  void* self = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  return dlsym(self, name);
}
