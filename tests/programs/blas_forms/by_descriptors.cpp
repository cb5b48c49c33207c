// cublasLtMatmul: batches, epilogues, block scales and groups. Attributes that older headers lack
// are set by their numbers (cublasLt.h of 13.5); where the library refuses one, its case is left
// out.
#include <cublasLt.h>

#include <cstdio>

#include "forms.hpp"

namespace blas_forms {
namespace {

constexpr int kLayoutBatchMode = 8;  // CUBLASLT_MATRIX_LAYOUT_BATCH_MODE, 13.0
constexpr int kDescAScaleMode = 31, kDescBScaleMode = 32;  // 12.8
constexpr int32_t kPointerArray = 1, kGrouped = 2;         // cublasLtBatchMode_t, 13.0 and 13.5
constexpr int32_t kVec16Ue4m3 = 1, kVec32Ue8m0 = 2;        // cublasLtMatmulMatrixScale_t, 12.8
constexpr auto kFp4 = static_cast<cudaDataType>(33);       // CUDA_R_4F_E2M1, 12.8

struct Case {
  cudaDataType in, out;
  int32_t batch = 1;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  int32_t scale_mode = 0;
  int32_t batch_mode = 0;
};
constexpr Case kCases[] = {
    {.in = CUDA_R_16BF, .out = CUDA_R_16BF},
    {.in = CUDA_R_16BF, .out = CUDA_R_16BF, .batch = 5},
    {.in = CUDA_R_16BF, .out = CUDA_R_16BF, .batch = 5, .batch_mode = kPointerArray},
    {.in = CUDA_R_16BF, .out = CUDA_R_32F, .epilogue = CUBLASLT_EPILOGUE_RELU_BIAS},
    {.in = CUDA_R_16F, .out = CUDA_R_16F, .epilogue = CUBLASLT_EPILOGUE_BGRADB},
    {.in = CUDA_R_8F_E4M3, .out = CUDA_R_16BF, .scale_mode = kVec32Ue8m0},
    {.in = kFp4, .out = CUDA_R_16BF, .scale_mode = kVec16Ue4m3},
    {.in = CUDA_R_16BF, .out = CUDA_R_16BF, .batch = 4, .batch_mode = kGrouped},
};

// False when the library does not know the attribute.
bool set(cublasLtMatrixLayout_t layout, int attribute, int32_t value) {
  return cublasLtMatrixLayoutSetAttribute(layout,
                                          static_cast<cublasLtMatrixLayoutAttribute_t>(attribute),
                                          &value, sizeof value) == CUBLAS_STATUS_SUCCESS;
}
template <class Value>
bool set(cublasLtMatmulDesc_t desc, int attribute, Value value) {
  return cublasLtMatmulDescSetAttribute(desc,
                                        static_cast<cublasLtMatmulDescAttributes_t>(attribute),
                                        &value, sizeof value) == CUBLAS_STATUS_SUCCESS;
}

bool make(cublasLtMatrixLayout_t& layout, cudaDataType type, uint64_t rows, uint64_t columns,
          const Case& one) {
  CHECK_CUBLAS(cublasLtMatrixLayoutCreate(&layout, type, rows, columns, kLeading));
  const int64_t stride = kLeading * 64;
  CHECK_CUBLAS(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                                &stride, sizeof stride));
  return set(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, one.batch) &&
         (one.batch_mode == 0 || set(layout, kLayoutBatchMode, one.batch_mode));
}

bool multiply(cublasLtHandle_t handle, const Memory& memory, const Case& one) {
  cublasLtMatmulDesc_t desc = nullptr;
  CHECK_CUBLAS(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  set(desc, CUBLASLT_MATMUL_DESC_TRANSA, int32_t{CUBLAS_OP_T});
  set(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, one.epilogue);
  set(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, memory.data);
  bool known = one.scale_mode == 0 || (set(desc, kDescAScaleMode, one.scale_mode) &&
                                       set(desc, kDescBScaleMode, one.scale_mode));
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, d = nullptr;
  known &= make(a, one.in, kK, kM, one);
  known &= make(b, one.in, kK, kN, one);
  known &= make(d, one.out, kM, kN, one);
  if (known)
    CHECK_CUBLAS(cublasLtMatmul(handle, desc, memory.data, memory.data, a, memory.data, b,
                                memory.data, memory.data, d, memory.data, d, nullptr, nullptr, 0,
                                nullptr));
  for (const cublasLtMatrixLayout_t layout : {a, b, d})
    CHECK_CUBLAS(cublasLtMatrixLayoutDestroy(layout));
  CHECK_CUBLAS(cublasLtMatmulDescDestroy(desc));
  return known;
}

}  // namespace

void by_descriptors(const Memory& memory) {
  cublasLtHandle_t handle = nullptr;
  CHECK_CUBLAS(cublasLtCreate(&handle));
  int count = 0;
  for (const Case& one : kCases) count += multiply(handle, memory, one);
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK_CUBLAS(cublasLtDestroy(handle));
  std::printf("cublasLt.h: %d calls\n", count);
}

}  // namespace blas_forms
