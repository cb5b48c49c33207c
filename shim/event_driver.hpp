// The driver's functions for timing by events: its own ones, never a hook.
#pragma once

#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>

#include <cstdint>
#include <optional>

namespace mfushim::shim::event_timing {

struct Driver {
  decltype(&::cuCtxGetCurrent) cuCtxGetCurrent;
  decltype(&::cuCtxSetCurrent) cuCtxSetCurrent;
  decltype(&::cuCtxGetDevice) cuCtxGetDevice;
  decltype(&::cuStreamCreate) cuStreamCreate;
  decltype(&::cuEventCreate) cuEventCreate;
  decltype(&::cuEventRecord) cuEventRecord;
  decltype(&::cuEventQuery) cuEventQuery;
  decltype(&::cuEventElapsedTime) cuEventElapsedTime;
  decltype(&::cuThreadExchangeStreamCaptureMode) cuThreadExchangeStreamCaptureMode;

  // False when no driver is loaded, or one without these.
  bool load() noexcept;
};

// Between two events that have happened; none where the driver does not tell.
std::optional<std::int64_t> elapsed_ns(const Driver& call, CUevent from, CUevent to) noexcept;

}  // namespace mfushim::shim::event_timing
