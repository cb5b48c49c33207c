// The functions of cublas.h, without handle and result; flags are letters.
#include <cstdio>

#include "forms.hpp"

namespace blas_forms {

void without_handle(const Memory& memory) {
  CHECK_CUBLAS(cublasInit());
  int count = 0;
  const auto one = [&](auto function, const auto& size, const char* letters) {
    call(function, memory, size, {.letters = letters});
    ++count;
  };
  one(cublasSgemm, kGeneral, "TN");
  one(cublasDgemm, kGeneral, "TN");
  one(cublasCgemm, kGeneral, "TN");
  one(cublasZgemm, kGeneral, "TN");
  one(cublasSgemv, kTwoSizes, "N");
  one(cublasDgemv, kTwoSizes, "N");
  one(cublasCgemv, kTwoSizes, "N");
  one(cublasZgemv, kTwoSizes, "N");
  one(cublasSsyrk, kUpdate, "LN");
  one(cublasDsyrk, kUpdate, "LN");
  one(cublasCsyrk, kUpdate, "LN");
  one(cublasZsyrk, kUpdate, "LN");
  one(cublasSsyr2k, kUpdate, "LN");
  one(cublasDsyr2k, kUpdate, "LN");
  one(cublasCsyr2k, kUpdate, "LN");
  one(cublasZsyr2k, kUpdate, "LN");
  one(cublasCherk, kUpdate, "LN");
  one(cublasZherk, kUpdate, "LN");
  one(cublasCher2k, kUpdate, "LN");
  one(cublasZher2k, kUpdate, "LN");
  one(cublasSsymm, kTwoSizes, "RL");
  one(cublasDsymm, kTwoSizes, "RL");
  one(cublasCsymm, kTwoSizes, "RL");
  one(cublasZsymm, kTwoSizes, "RL");
  one(cublasChemm, kTwoSizes, "RL");
  one(cublasZhemm, kTwoSizes, "RL");
  one(cublasStrmm, kTwoSizes, "RLTN");
  one(cublasDtrmm, kTwoSizes, "RLTN");
  one(cublasCtrmm, kTwoSizes, "RLTN");
  one(cublasZtrmm, kTwoSizes, "RLTN");
  one(cublasStrsm, kTwoSizes, "RLTN");
  one(cublasDtrsm, kTwoSizes, "RLTN");
  one(cublasCtrsm, kTwoSizes, "RLTN");
  one(cublasZtrsm, kTwoSizes, "RLTN");
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK_CUBLAS(cublasShutdown());
  std::printf("cublas.h: %d calls\n", count);
}

}  // namespace blas_forms
