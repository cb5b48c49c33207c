// Ends a test program with status 1 and the call that failed.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>

[[noreturn]] inline void fail(const char* call, const char* what, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, what);
  std::exit(1);
}

#define CHECK_CUDA(call)                                                \
  do {                                                                  \
    const cudaError_t check_error = (call);                             \
    if (check_error != cudaSuccess) {                                   \
      fail(#call, cudaGetErrorString(check_error), __FILE__, __LINE__); \
    }                                                                   \
  } while (0)

#define CHECK_CUBLAS(call)                                                  \
  do {                                                                      \
    const cublasStatus_t check_status = (call);                             \
    if (check_status != CUBLAS_STATUS_SUCCESS) {                            \
      fail(#call, cublasGetStatusString(check_status), __FILE__, __LINE__); \
    }                                                                       \
  } while (0)

#define CHECK_NCCL(call)                                                 \
  do {                                                                   \
    const ncclResult_t check_result = (call);                            \
    if (check_result != ncclSuccess) {                                   \
      fail(#call, ncclGetErrorString(check_result), __FILE__, __LINE__); \
    }                                                                    \
  } while (0)
