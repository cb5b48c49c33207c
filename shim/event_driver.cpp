// Finds them; see event_driver.hpp.
#include "event_driver.hpp"

#include <dlfcn.h>

#include "loaded.hpp"
#include "old_glibc.hpp"

namespace mfushim::shim::event_timing {

bool Driver::load() noexcept {
  void* const library = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY);
  if (library == nullptr) return false;
  const bool whole = find_function(library, "cuCtxGetCurrent", cuCtxGetCurrent) &&
                     find_function(library, "cuCtxSetCurrent", cuCtxSetCurrent) &&
                     find_function(library, "cuCtxGetDevice", cuCtxGetDevice) &&
                     find_function(library, "cuStreamCreate", cuStreamCreate) &&
                     find_function(library, "cuEventCreate", cuEventCreate) &&
                     find_function(library, "cuEventRecord", cuEventRecord) &&
                     find_function(library, "cuEventQuery", cuEventQuery) &&
                     find_function(library, "cuEventElapsedTime", cuEventElapsedTime) &&
                     find_function(library, "cuThreadExchangeStreamCaptureMode",
                                   cuThreadExchangeStreamCaptureMode);
  dlclose(library);
  return whole;
}

std::optional<std::int64_t> elapsed_ns(const Driver& call, CUevent from, CUevent to) noexcept {
  float milliseconds = 0;
  if (call.cuEventElapsedTime(&milliseconds, from, to) != CUDA_SUCCESS) return std::nullopt;
  return static_cast<std::int64_t>(static_cast<double>(milliseconds) * 1e6);
}

}  // namespace mfushim::shim::event_timing
