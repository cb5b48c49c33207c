// What nvcc's start-up code tells the runtime: which host function stands for which kernel, which
// host variable for which device variable. The fat binaries themselves are never looked into.
#pragma once
#include "driver.hpp"

namespace mfusim::runtime {

// The kernel of a host function (or the handle itself, where a cudaKernel_t is given); loads its
// fat binary on first use. NULL when unknown.
CUkernel kernel_of(const void* host_function);

struct DeviceVariable {
  void* address = nullptr;
  size_t bytes = 0;
};
// False when the symbol was never registered or there is no memory for it.
bool variable_of(const void* symbol, DeviceVariable& out);

}  // namespace mfusim::runtime
