// The functions of cublasXt.h: operands are the host's, and up to two GPUs share the work.
#include <algorithm>
#include <cstdio>

#include "forms.hpp"

namespace blas_forms {

void on_all_devices(const Memory& memory) {
  int devices[] = {0, 1}, there = 0, count = 0;
  CHECK_CUDA(cudaGetDeviceCount(&there));
  cublasXtHandle_t handle = nullptr;
  CHECK_CUBLAS(cublasXtCreate(&handle));
  CHECK_CUBLAS(cublasXtDeviceSelect(handle, std::min(there, 2), devices));
  const auto one = [&](auto function, const auto& size) {
    call(function, handle, memory, size);
    ++count;
  };
  one(cublasXtSgemm, kGeneral);
  one(cublasXtDgemm, kGeneral);
  one(cublasXtCgemm, kGeneral);
  one(cublasXtZgemm, kGeneral);
  one(cublasXtSsyrk, kUpdate);
  one(cublasXtDsyrk, kUpdate);
  one(cublasXtCsyrk, kUpdate);
  one(cublasXtZsyrk, kUpdate);
  one(cublasXtSsyr2k, kUpdate);
  one(cublasXtDsyr2k, kUpdate);
  one(cublasXtCsyr2k, kUpdate);
  one(cublasXtZsyr2k, kUpdate);
  one(cublasXtSsyrkx, kUpdate);
  one(cublasXtDsyrkx, kUpdate);
  one(cublasXtCsyrkx, kUpdate);
  one(cublasXtZsyrkx, kUpdate);
  one(cublasXtCherk, kUpdate);
  one(cublasXtZherk, kUpdate);
  one(cublasXtCher2k, kUpdate);
  one(cublasXtZher2k, kUpdate);
  one(cublasXtCherkx, kUpdate);
  one(cublasXtZherkx, kUpdate);
  one(cublasXtSsymm, kTwoSizes);
  one(cublasXtDsymm, kTwoSizes);
  one(cublasXtCsymm, kTwoSizes);
  one(cublasXtZsymm, kTwoSizes);
  one(cublasXtSspmm, kTwoSizes);
  one(cublasXtDspmm, kTwoSizes);
  one(cublasXtCspmm, kTwoSizes);
  one(cublasXtZspmm, kTwoSizes);
  one(cublasXtStrmm, kTwoSizes);
  one(cublasXtDtrmm, kTwoSizes);
  one(cublasXtCtrmm, kTwoSizes);
  one(cublasXtZtrmm, kTwoSizes);
  one(cublasXtStrsm, kTwoSizes);
  one(cublasXtDtrsm, kTwoSizes);
  one(cublasXtCtrsm, kTwoSizes);
  one(cublasXtZtrsm, kTwoSizes);
  one(cublasXtChemm, kTwoSizes);
  one(cublasXtZhemm, kTwoSizes);
  CHECK_CUBLAS(cublasXtDestroy(handle));
  std::printf("cublasXt.h: %d calls\n", count);
}

}  // namespace blas_forms
