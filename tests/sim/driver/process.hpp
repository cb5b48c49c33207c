// Whether this process may use the driver: initialised, and not a fork of one that did.
#pragma once
#include <mutex>

#include "driver_header.h"

namespace mfusim {

bool driver_usable();
// CUDA_ERROR_NOT_INITIALIZED, or CUDA_ERROR_NO_DEVICE as cuInit answered.
CUresult unusable_reason();

// The one lock over all of the simulator's state. Calls are short, and one lock is easy to reason
// about.
std::mutex& simulator_mutex();
struct Lock : std::unique_lock<std::mutex> {
  Lock() : std::unique_lock<std::mutex>(simulator_mutex()) {}
};

}  // namespace mfusim
