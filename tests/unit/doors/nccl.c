/* A provider of NCCL's names: NCCL itself, or a library before it that passes calls on, as MSCCL++
 * does. */
#include <dlfcn.h>

int ncclGroupStart(void) {
#ifdef DOOR_PASSES_ON
  void* nccl = dlopen("libnccl.so.2", RTLD_LAZY | RTLD_LOCAL);
  int (*real)(void) = (int (*)(void))dlsym(nccl, "ncclGroupStart");
  return 10 + real();
#else
  return 1;
#endif
}
