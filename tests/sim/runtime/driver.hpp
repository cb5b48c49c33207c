// The runtime's way to the driver: dlopen("libcuda.so.1"), dlsym("cuGetProcAddress_v2"), and that
// for all the rest, at the first call, in the legacy and in the per-thread-stream flavour. As the
// vendor's runtime does it.
#pragma once
#include <utility>

#include <cuda.h>

#include "api_call.hpp"
#include "mfusim/driver.h"

namespace mfusim::runtime {

struct Driver {
#define MFUSIM_SLOT(name) decltype(&::name) name = nullptr;
#include "driver_slots.inc"
#undef MFUSIM_SLOT
};

// The table that the current call means: per-thread streams inside _ptsz calls.
const Driver& driver();

// The simulator's own functions; NULL members before initialize() and on any other driver.
struct SimHooks {
  MfusimApiFn enter = nullptr, leave = nullptr;
  MfusimStubFn stub = nullptr;
};
const SimHooks& sim_hooks();

// Loads the driver and calls cuInit, once; what that answered.
cudaError_t initialize();

// Makes the calling thread's device's primary context current, unless the program chose a context
// itself.
cudaError_t use_context();
int current_device();

inline cudaError_t as_error(CUresult result) {
  return static_cast<cudaError_t>(result);
}

template <typename... Parameters>
constexpr size_t arity(CUresult (*Driver::*)(Parameters...)) {
  return sizeof...(Parameters);
}
template <typename... Parameters, typename... Arguments>
CUresult call_cast(CUresult (*function)(Parameters...), Arguments... arguments) {
  return function((Parameters)(arguments)...);
}

// Calls a driver function with the runtime's own arguments: the two differ in the names of types
// alone. Of several, which are the ABI variants of one name, the first that takes as many.
template <auto function, auto... others, typename... Arguments>
cudaError_t forward(Arguments... arguments) {
  if constexpr (arity(function) != sizeof...(Arguments)) {
    return forward<others...>(arguments...);
  } else {
    if (cudaError_t bad = use_context()) return bad;
    return as_error(call_cast(driver().*function, arguments...));
  }
}

#define MFUSIM_NEED_CONTEXT() \
  if (cudaError_t bad = use_context()) return bad

}  // namespace mfusim::runtime
