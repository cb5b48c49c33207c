// The state behind a cublasHandle_t.
#pragma once

#include <cublas_api.h>
#include <cuda_runtime_api.h>

#include <cstddef>

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
  cublasAtomicsMode_t atomics_mode = CUBLAS_ATOMICS_NOT_ALLOWED;
  cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;
  int sm_count_target = 0;
  void* workspace = nullptr;
  size_t workspace_bytes = 0;
  cublasStatus_t last_error = CUBLAS_STATUS_SUCCESS;  // of cublas.h's functions
};
