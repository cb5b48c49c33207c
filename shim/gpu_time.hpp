// When device work ran: CUPTI's activity records, where the process can have them.
#pragma once

#include "config.hpp"

namespace mfushim::shim {

// Chooses a source and starts it; a record in the log says which, or why none.
void start_gpu_time(GpuTimeMode mode, bool verbose) noexcept;

// Brings in what CUPTI still holds. Before the driver's own end.
void stop_gpu_time() noexcept;

// In a forked child: forgets the parent's.
void forget_gpu_time() noexcept;

}  // namespace mfushim::shim
