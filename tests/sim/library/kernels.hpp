// How a library double launches kernels: by name, made on demand, through one of the two doors to
// the driver that real libraries use.
#pragma once

#include <cuda.h>
#include <mfusim/driver.h>

#include <string>

namespace mfusim::library {

struct Extent {
  unsigned x = 1, y = 1, z = 1;
};

struct KernelWork {
  std::string name;  // as the vendor's library would name it
  Extent grid;
  Extent block;
  unsigned shared_bytes = 0;
  unsigned cluster = 0;  // blocks per cluster along x, by cuLaunchKernelEx; 0: by cuLaunchKernel
  MfusimCost cost{};
};

// The driver's launch functions as one route found them; null where it found none.
struct DriverDoor {
  decltype(&cuLaunchKernel) launch_kernel = nullptr;
  decltype(&cuLaunchKernelEx) launch_kernel_ex = nullptr;
};

// Through the static runtime inside the library, that is cuGetProcAddress.
const DriverDoor& runtime_door();

// Through the library's own dlopen and dlsym, as cuBLASLt does in its constructor: call it from
// there.
const DriverDoor& direct_door();

// Launches on the current context. A kernel name is loaded as a module of its own at its first use.
CUresult launch(const DriverDoor& door, const KernelWork& work, CUstream stream);

// Adds the kernel to a graph, after all nodes that are there.
CUresult add_node(const KernelWork& work, CUgraph graph);

}  // namespace mfusim::library
