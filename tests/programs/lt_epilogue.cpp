// cublasLtMatmul in several types, batched and with epilogues, and the classic functions beside it.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <cstdio>

#include "support/check.hpp"

namespace {

struct Case {
  const char* name;
  cudaDataType_t in, out;
  int m, n, k, batch;
  cublasLtEpilogue_t epilogue;
  bool scaled;  // fp8 wants scales, and A transposed
};

constexpr Case kCases[] = {
    {"bf16", CUDA_R_16BF, CUDA_R_16BF, 512, 256, 128, 1, CUBLASLT_EPILOGUE_DEFAULT, false},
    {"bf16 bias", CUDA_R_16BF, CUDA_R_16BF, 512, 256, 128, 1, CUBLASLT_EPILOGUE_BIAS, false},
    {"fp16 relu bias", CUDA_R_16F, CUDA_R_16F, 256, 512, 64, 1, CUBLASLT_EPILOGUE_RELU_BIAS, false},
    {"bf16 gelu", CUDA_R_16BF, CUDA_R_16BF, 256, 256, 256, 1, CUBLASLT_EPILOGUE_GELU, false},
    {"fp16 batch of 8", CUDA_R_16F, CUDA_R_16F, 128, 128, 64, 8, CUBLASLT_EPILOGUE_DEFAULT, false},
    {"fp32", CUDA_R_32F, CUDA_R_32F, 128, 256, 64, 1, CUBLASLT_EPILOGUE_DEFAULT, false},
    {"bf16 long k", CUDA_R_16BF, CUDA_R_16BF, 128, 128, 16384, 1, CUBLASLT_EPILOGUE_DEFAULT, false},
    {"fp8", CUDA_R_8F_E4M3, CUDA_R_16BF, 512, 512, 256, 1, CUBLASLT_EPILOGUE_DEFAULT, true},
};

cublasLtMatrixLayout_t layout(cudaDataType_t type, int rows, int cols, int batch) {
  cublasLtMatrixLayout_t made = nullptr;
  CHECK_CUBLAS(cublasLtMatrixLayoutCreate(&made, type, static_cast<uint64_t>(rows),
                                          static_cast<uint64_t>(cols), rows));
  const int64_t stride = static_cast<int64_t>(rows) * cols;
  CHECK_CUBLAS(cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch,
                                                sizeof batch));
  CHECK_CUBLAS(cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                                &stride, sizeof stride));
  return made;
}

// Device memory for the largest case.
struct Buffers {
  static constexpr size_t kBytes = 8 << 20;
  void *a, *b, *c, *bias, *workspace, *scale;
};

void multiply(cublasLtHandle_t handle, const Case& one, const Buffers& buffers,
              cudaStream_t stream) {
  const float alpha = 1, beta = 0;
  cublasLtMatmulDesc_t operation = nullptr;
  CHECK_CUBLAS(cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  const auto set = [&](cublasLtMatmulDescAttributes_t attribute, const auto& value) {
    CHECK_CUBLAS(cublasLtMatmulDescSetAttribute(operation, attribute, &value, sizeof value));
  };
  set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, one.epilogue);
  if ((one.epilogue & CUBLASLT_EPILOGUE_BIAS) != 0) {
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, buffers.bias);
  }
  if (one.scaled) {
    set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, buffers.scale);
    set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, buffers.scale);
  }
  cublasLtMatrixLayout_t a = layout(one.in, one.k, one.m, one.batch);
  cublasLtMatrixLayout_t b = layout(one.in, one.k, one.n, one.batch);
  cublasLtMatrixLayout_t c = layout(one.out, one.m, one.n, one.batch);
  CHECK_CUBLAS(cublasLtMatmul(handle, operation, &alpha, buffers.a, a, buffers.b, b, &beta,
                              buffers.c, c, buffers.c, c, nullptr, buffers.workspace,
                              Buffers::kBytes, stream));
  CHECK_CUBLAS(cublasLtMatrixLayoutDestroy(a));
  CHECK_CUBLAS(cublasLtMatrixLayoutDestroy(b));
  CHECK_CUBLAS(cublasLtMatrixLayoutDestroy(c));
  CHECK_CUBLAS(cublasLtMatmulDescDestroy(operation));
  std::printf("cublasLtMatmul %s: %d x %d x %d, batch %d\n", one.name, one.m, one.n, one.k,
              one.batch);
}

void classic(const Buffers& buffers, cudaStream_t stream) {
  cublasHandle_t handle = nullptr;
  CHECK_CUBLAS(cublasCreate(&handle));
  CHECK_CUBLAS(cublasSetStream(handle, stream));
  const float alpha = 1, beta = 0;
  const double alpha64 = 1, beta64 = 0;
  auto* a = static_cast<float*>(buffers.a);
  auto* b = static_cast<float*>(buffers.b);
  auto* c = static_cast<float*>(buffers.c);
  CHECK_CUBLAS(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 256, 128, 64, &alpha, a, 256, b, 64,
                           &beta, c, 256));
  CHECK_CUBLAS(cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH));
  CHECK_CUBLAS(cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_T, 64, 64, 32, &alpha, a,
                                         64, 2048, b, 64, 2048, &beta, c, 64, 4096, 16));
  CHECK_CUBLAS(cublasDgemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, 128, 128, 128, &alpha64,
                           static_cast<double*>(buffers.a), 128, static_cast<double*>(buffers.b),
                           128, &beta64, static_cast<double*>(buffers.c), 128));
  CHECK_CUBLAS(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 256, 256, 512, &alpha, a, CUDA_R_16F,
                            256, b, CUDA_R_16F, 512, &beta, c, CUDA_R_16F, 256, CUBLAS_COMPUTE_32F,
                            CUBLAS_GEMM_DEFAULT));
  CHECK_CUBLAS(cublasDestroy(handle));
  std::printf("4 products by the classic functions\n");
}

}  // namespace

int main() {
  cudaStream_t stream = nullptr;
  CHECK_CUDA(cudaStreamCreate(&stream));
  Buffers buffers{};
  for (void** buffer : {&buffers.a, &buffers.b, &buffers.c, &buffers.bias, &buffers.workspace}) {
    CHECK_CUDA(cudaMalloc(buffer, Buffers::kBytes));
    CHECK_CUDA(cudaMemsetAsync(*buffer, 0, Buffers::kBytes, stream));
  }
  const float one = 1;
  CHECK_CUDA(cudaMalloc(&buffers.scale, sizeof one));
  CHECK_CUDA(cudaMemcpyAsync(buffers.scale, &one, sizeof one, cudaMemcpyHostToDevice, stream));

  cublasLtHandle_t handle = nullptr;
  CHECK_CUBLAS(cublasLtCreate(&handle));
  for (const Case& each : kCases) multiply(handle, each, buffers, stream);
  CHECK_CUBLAS(cublasLtDestroy(handle));
  classic(buffers, stream);
  CHECK_CUDA(cudaStreamSynchronize(stream));

  for (void* buffer : {buffers.a, buffers.b, buffers.c, buffers.bias, buffers.workspace}) {
    CHECK_CUDA(cudaFree(buffer));
  }
  CHECK_CUDA(cudaFree(buffers.scale));
  CHECK_CUDA(cudaStreamDestroy(stream));
  return 0;
}
