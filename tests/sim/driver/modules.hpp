// Modules, libraries and the kernels in them. Only MfusimImage is understood. Other images (cubins,
// PTX) are never looked into: what is loaded from them has every kernel that somebody asks for by
// name.
#pragma once
#include <map>
#include <string>

#include "contexts.hpp"
#include "mfusim/driver.h"

namespace mfusim {

struct Module;
struct Library;

// What a CUfunction or a CUkernel stands for. The vendor's runtime hands CUkernel where CUfunction
// is asked, so both are the same type here, and every call takes either.
struct Kernel {
  const char* name = nullptr;  // interned: lives as long as the process
  uint32_t cost_kind = 0;
  std::vector<uint32_t> parameter_sizes;
  CUmodule module = nullptr;    // for functions
  CUlibrary library = nullptr;  // for kernels, and functions got from them
  std::map<int, int> attributes;
  CUfunction function = nullptr;  // of a kernel, once asked for
};

// NULL when the handle is neither.
Kernel* find_kernel(const void* function_or_kernel);
// One copy of each name, kept for ever: records point to it.
const char* intern(const std::string& name);

}  // namespace mfusim
