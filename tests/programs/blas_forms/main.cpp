// Every product that cuBLAS and cuBLASLt export, each form and its 64-bit twin once.
#include "forms.hpp"

int main() {
  const blas_forms::Memory memory;
  blas_forms::with_handle(memory);
  blas_forms::without_handle(memory);
  blas_forms::on_all_devices(memory);
  blas_forms::by_descriptors(memory);
  CHECK_CUDA(cudaDeviceSynchronize());
  return 0;
}
