// The functions of cublas_api.h: the products that most programs use, and the rest of level 3.
#include <cstdio>

#include "forms.hpp"

namespace blas_forms {
namespace {

// Calls a function and its 64-bit twin.
class Twins {
 public:
  Twins(const Memory& memory, cublasHandle_t handle) : memory_(memory), handle_(handle) {}

  template <class... Narrow, class... Wide, size_t sizes>
  void operator()(cublasStatus_t (*narrow)(cublasHandle_t, Narrow...),
                  cublasStatus_t (*wide)(cublasHandle_t, Wide...),
                  const std::array<int, sizes>& size, const Options& options = {}) {
    call(narrow, handle_, memory_, size, options);
    call(wide, handle_, memory_, size, options);
    count_ += 2;
  }

  int count() const { return count_; }

 private:
  const Memory& memory_;
  cublasHandle_t handle_;
  int count_ = 0;
};

void general(Twins& twins) {
  twins(cublasSgemm_v2, cublasSgemm_v2_64, kGeneral);
  twins(cublasDgemm_v2, cublasDgemm_v2_64, kGeneral);
  twins(cublasCgemm_v2, cublasCgemm_v2_64, kGeneral);
  twins(cublasZgemm_v2, cublasZgemm_v2_64, kGeneral);
  twins(cublasHgemm, cublasHgemm_64, kGeneral);
  twins(cublasSgemmBatched, cublasSgemmBatched_64, kGeneral);
  twins(cublasSgemmStridedBatched, cublasSgemmStridedBatched_64, kGeneral);
  twins(cublasDgemmBatched, cublasDgemmBatched_64, kGeneral);
  twins(cublasDgemmStridedBatched, cublasDgemmStridedBatched_64, kGeneral);
  twins(cublasCgemmBatched, cublasCgemmBatched_64, kGeneral);
  twins(cublasCgemmStridedBatched, cublasCgemmStridedBatched_64, kGeneral);
  twins(cublasZgemmBatched, cublasZgemmBatched_64, kGeneral);
  twins(cublasZgemmStridedBatched, cublasZgemmStridedBatched_64, kGeneral);
  twins(cublasHgemmBatched, cublasHgemmBatched_64, kGeneral);
  twins(cublasHgemmStridedBatched, cublasHgemmStridedBatched_64, kGeneral);
  twins(cublasCgemm3m, cublasCgemm3m_64, kGeneral);
  twins(cublasZgemm3m, cublasZgemm3m_64, kGeneral);
  twins(cublasCgemm3mBatched, cublasCgemm3mBatched_64, kGeneral);
  twins(cublasCgemm3mStridedBatched, cublasCgemm3mStridedBatched_64, kGeneral);
}

void with_types(Twins& twins) {
  twins(cublasSgemmEx, cublasSgemmEx_64, kGeneral);
  const Options complex{.type = CUDA_C_32F};
  twins(cublasCgemmEx, cublasCgemmEx_64, kGeneral, complex);
  twins(cublasCgemm3mEx, cublasCgemm3mEx_64, kGeneral, complex);
  twins(cublasCsyrkEx, cublasCsyrkEx_64, kUpdate, complex);
  twins(cublasCsyrk3mEx, cublasCsyrk3mEx_64, kUpdate, complex);
  twins(cublasCherkEx, cublasCherkEx_64, kUpdate, complex);
  twins(cublasCherk3mEx, cublasCherk3mEx_64, kUpdate, complex);
  // The narrow ones are overloaded in C++: their types say which is meant.
  using Plain = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int,
                                   int, const void*, const void*, cudaDataType, int, const void*,
                                   cudaDataType, int, const void*, void*, cudaDataType, int,
                                   cublasComputeType_t, cublasGemmAlgo_t);
  using Batched = cublasStatus_t (*)(
      cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*,
      const void* const[], cudaDataType, int, const void* const[], cudaDataType, int, const void*,
      void* const[], cudaDataType, int, int, cublasComputeType_t, cublasGemmAlgo_t);
  using Strided = cublasStatus_t (*)(
      cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*, const void*,
      cudaDataType, int, long long, const void*, cudaDataType, int, long long, const void*, void*,
      cudaDataType, int, long long, int, cublasComputeType_t, cublasGemmAlgo_t);
  twins(static_cast<Plain>(cublasGemmEx), cublasGemmEx_64, kGeneral);
  twins(static_cast<Batched>(cublasGemmBatchedEx), cublasGemmBatchedEx_64, kGeneral);
  twins(static_cast<Strided>(cublasGemmStridedBatchedEx), cublasGemmStridedBatchedEx_64, kGeneral);
}

// All sizes are in arrays.
void in_groups(Twins& twins) {
  constexpr std::array<int, 0> kNoSize = {};
  twins(cublasSgemmGroupedBatched, cublasSgemmGroupedBatched_64, kNoSize);
  twins(cublasDgemmGroupedBatched, cublasDgemmGroupedBatched_64, kNoSize);
  twins(cublasGemmGroupedBatchedEx, cublasGemmGroupedBatchedEx_64, kNoSize);
}

void updates(Twins& twins) {
  twins(cublasSsyrk_v2, cublasSsyrk_v2_64, kUpdate);
  twins(cublasDsyrk_v2, cublasDsyrk_v2_64, kUpdate);
  twins(cublasCsyrk_v2, cublasCsyrk_v2_64, kUpdate);
  twins(cublasZsyrk_v2, cublasZsyrk_v2_64, kUpdate);
  twins(cublasSsyr2k_v2, cublasSsyr2k_v2_64, kUpdate);
  twins(cublasDsyr2k_v2, cublasDsyr2k_v2_64, kUpdate);
  twins(cublasCsyr2k_v2, cublasCsyr2k_v2_64, kUpdate);
  twins(cublasZsyr2k_v2, cublasZsyr2k_v2_64, kUpdate);
  twins(cublasSsyrkx, cublasSsyrkx_64, kUpdate);
  twins(cublasDsyrkx, cublasDsyrkx_64, kUpdate);
  twins(cublasCsyrkx, cublasCsyrkx_64, kUpdate);
  twins(cublasZsyrkx, cublasZsyrkx_64, kUpdate);
  twins(cublasCherk_v2, cublasCherk_v2_64, kUpdate);
  twins(cublasZherk_v2, cublasZherk_v2_64, kUpdate);
  twins(cublasCher2k_v2, cublasCher2k_v2_64, kUpdate);
  twins(cublasZher2k_v2, cublasZher2k_v2_64, kUpdate);
  twins(cublasCherkx, cublasCherkx_64, kUpdate);
  twins(cublasZherkx, cublasZherkx_64, kUpdate);
}

void two_sided(Twins& twins) {
  const Options right{.side = CUBLAS_SIDE_RIGHT};
  twins(cublasSsymm_v2, cublasSsymm_v2_64, kTwoSizes);
  twins(cublasDsymm_v2, cublasDsymm_v2_64, kTwoSizes, right);
  twins(cublasCsymm_v2, cublasCsymm_v2_64, kTwoSizes);
  twins(cublasZsymm_v2, cublasZsymm_v2_64, kTwoSizes, right);
  twins(cublasStrmm_v2, cublasStrmm_v2_64, kTwoSizes);
  twins(cublasDtrmm_v2, cublasDtrmm_v2_64, kTwoSizes, right);
  twins(cublasCtrmm_v2, cublasCtrmm_v2_64, kTwoSizes);
  twins(cublasZtrmm_v2, cublasZtrmm_v2_64, kTwoSizes, right);
  twins(cublasStrsm_v2, cublasStrsm_v2_64, kTwoSizes);
  twins(cublasDtrsm_v2, cublasDtrsm_v2_64, kTwoSizes, right);
  twins(cublasCtrsm_v2, cublasCtrsm_v2_64, kTwoSizes);
  twins(cublasZtrsm_v2, cublasZtrsm_v2_64, kTwoSizes, right);
  twins(cublasChemm_v2, cublasChemm_v2_64, kTwoSizes);
  twins(cublasZhemm_v2, cublasZhemm_v2_64, kTwoSizes, right);
  twins(cublasStrsmBatched, cublasStrsmBatched_64, kTwoSizes);
  twins(cublasDtrsmBatched, cublasDtrsmBatched_64, kTwoSizes, right);
  twins(cublasCtrsmBatched, cublasCtrsmBatched_64, kTwoSizes);
  twins(cublasZtrsmBatched, cublasZtrsmBatched_64, kTwoSizes, right);
}

void with_vectors(Twins& twins) {
  twins(cublasSgemv_v2, cublasSgemv_v2_64, kTwoSizes);
  twins(cublasDgemv_v2, cublasDgemv_v2_64, kTwoSizes);
  twins(cublasCgemv_v2, cublasCgemv_v2_64, kTwoSizes);
  twins(cublasZgemv_v2, cublasZgemv_v2_64, kTwoSizes);
  twins(cublasSgemvBatched, cublasSgemvBatched_64, kTwoSizes);
  twins(cublasSgemvStridedBatched, cublasSgemvStridedBatched_64, kTwoSizes);
  twins(cublasDgemvBatched, cublasDgemvBatched_64, kTwoSizes);
  twins(cublasDgemvStridedBatched, cublasDgemvStridedBatched_64, kTwoSizes);
  twins(cublasCgemvBatched, cublasCgemvBatched_64, kTwoSizes);
  twins(cublasCgemvStridedBatched, cublasCgemvStridedBatched_64, kTwoSizes);
  twins(cublasZgemvBatched, cublasZgemvBatched_64, kTwoSizes);
  twins(cublasZgemvStridedBatched, cublasZgemvStridedBatched_64, kTwoSizes);
  twins(cublasHSHgemvBatched, cublasHSHgemvBatched_64, kTwoSizes);
  twins(cublasHSHgemvStridedBatched, cublasHSHgemvStridedBatched_64, kTwoSizes);
  twins(cublasHSSgemvBatched, cublasHSSgemvBatched_64, kTwoSizes);
  twins(cublasHSSgemvStridedBatched, cublasHSSgemvStridedBatched_64, kTwoSizes);
  twins(cublasTSSgemvBatched, cublasTSSgemvBatched_64, kTwoSizes);
  twins(cublasTSSgemvStridedBatched, cublasTSSgemvStridedBatched_64, kTwoSizes);
  twins(cublasTSTgemvBatched, cublasTSTgemvBatched_64, kTwoSizes);
  twins(cublasTSTgemvStridedBatched, cublasTSTgemvStridedBatched_64, kTwoSizes);
}

// Without a handle the library refuses before it looks at the arrays, which do not have the groups
// that the call says.
void refused(const Memory& memory) {
  const int one = 1;
  const cublasOperation_t operation = CUBLAS_OP_N;
  const auto scale = static_cast<const float*>(memory.data);
  const auto operands = reinterpret_cast<float* const*>(memory.pointers);
  const cublasStatus_t status =
      cublasSgemmGroupedBatched(nullptr, &operation, &operation, &one, &one, &one, scale, operands,
                                &one, operands, &one, scale, operands, &one, 1 << 30, &one);
  if (status != CUBLAS_STATUS_NOT_INITIALIZED)
    fail("cublasSgemmGroupedBatched", "went without a handle", __FILE__, __LINE__);
}

}  // namespace

void with_handle(const Memory& memory) {
  cublasHandle_t handle = nullptr;
  cudaStream_t stream = nullptr;
  CHECK_CUDA(cudaStreamCreate(&stream));
  CHECK_CUBLAS(cublasCreate_v2(&handle));
  CHECK_CUBLAS(cublasSetStream_v2(handle, stream));
  Twins twins(memory, handle);
  for (const auto part : {general, with_types, in_groups, updates, two_sided, with_vectors})
    part(twins);
  call(cublasUint8gemmBias, handle, memory, kGeneral);
  refused(memory);
  CHECK_CUDA(cudaStreamSynchronize(stream));
  CHECK_CUBLAS(cublasDestroy_v2(handle));
  CHECK_CUDA(cudaStreamDestroy(stream));
  std::printf("cublas_api.h: %d calls\n", twins.count() + 1);
}

}  // namespace blas_forms
