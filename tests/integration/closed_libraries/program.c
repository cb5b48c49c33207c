/* Loads one closed library and calls what a program calls first: prints each call's result. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* The least that each library's first calls need: a pointer to what it makes, and small numbers. */
typedef int (*Call)(void*, long, long, long);

struct Case {
  const char* library; /* how its file's name begins */
  const char* function;
  long arguments[3];
};

static const struct Case kCases[] = {
    {"libcudart.", "cudaRuntimeGetVersion", {0}},
    {"libcudart.", "cudaDriverGetVersion", {0}},
    {"libcudart.", "cudaGetDeviceCount", {0}},
    {"libcudart.", "cudaMalloc", {256}},
    {"libcublasLt.", "cublasLtCreate", {0}},
    {"libcublas.", "cublasCreate_v2", {0}},
    {"libcudnn.", "cudnnCreate", {0}},
    {"libnccl.", "ncclGetVersion", {0}},
    {"libnccl.", "ncclCommInitAll", {1}},
    {"libcufft.", "cufftCreate", {0}},
    {"libcufft.", "cufftPlan1d", {256, 0x29, 1}},
    {"libcusolver.", "cusolverDnCreate", {0}},
    {"libcusparse.", "cusparseCreate", {0}},
    {"libcurand.", "curandCreateGenerator", {100}},
};

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const char* slash = strrchr(argv[1], '/');
  const char* name = slash != NULL ? slash + 1 : argv[1];
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    printf("not loaded: %s\n", dlerror());
    return 1;
  }
  int called = 0;
  for (unsigned i = 0; i < sizeof kCases / sizeof *kCases; ++i) {
    const struct Case* c = &kCases[i];
    if (strncmp(name, c->library, strlen(c->library)) != 0) continue;
    Call call;
    *(void**)&call = dlsym(library, c->function);
    if (call == NULL) {
      printf("%s is not there\n", c->function);
      return 1;
    }
    void* made[64] = {0};
    printf("%s %d\n", c->function, call(made, c->arguments[0], c->arguments[1], c->arguments[2]));
    fflush(stdout);
    ++called;
  }
  return called == 0;
}
