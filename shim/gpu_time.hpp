// When device work ran: the source of device times, chosen anew for each window of them.
#pragma once

#include "config.hpp"

namespace mfushim::shim {

// Starts what `config` asks for; records in the log say which source there is, or why none, and
// each change.
void start_gpu_time(const Config& config) noexcept;

// Brings in what CUPTI still holds. Before the driver's own end.
void stop_gpu_time() noexcept;

// In a forked child: forgets the parent's.
void forget_gpu_time() noexcept;

}  // namespace mfushim::shim
