// The state behind a cudnnHandle_t.
#pragma once

#include <cuda_runtime_api.h>
#include <cudnn.h>

struct cublasLtContext;

struct cudnnContext {
  cudaStream_t stream = nullptr;
  cublasLtContext* lt = nullptr;  // made at the first product
};
