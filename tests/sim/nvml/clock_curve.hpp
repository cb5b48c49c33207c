// The clock that the simulated GPUs show: MFUSIM_CLOCK, MHZ[:MHZ@SECONDS]..., as in 1980:1400@2,
// which is 1980 MHz and, from 2 s after the process opened NVML on, 1400 MHz. Less than the first
// of them is the power cap's doing. It is shown alone: work does not slow down with it.
#pragma once

#include <cstdint>

namespace mfusim::nvml {

struct Reading {
  std::int64_t time_ns = 0;  // CLOCK_REALTIME
  unsigned megahertz = 0;
  unsigned long long limits = 0;  // nvmlClocksEventReason...
};

Reading read_clock();

}  // namespace mfusim::nvml
