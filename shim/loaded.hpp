// Functions of libraries that are loaded, by name.
#pragma once

#include <dlfcn.h>

#include "old_glibc.hpp"

namespace mfushim::shim {

// Null, and false, where the library has no such function.
template <class Function>
bool find_function(void* library, const char* name, Function& function) noexcept {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace mfushim::shim
