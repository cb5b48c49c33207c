// When device work ran: the source of device times, chosen anew for each window of them.
#pragma once

#include <string_view>

#include "config.hpp"

namespace mfushim::shim {

// Starts what `config` asks for; records in the log say which source there is, or why none, and
// each change.
void start_gpu_time(const Config& config) noexcept;

// Brings in what CUPTI still holds. Before the driver's own end.
void stop_gpu_time() noexcept;

// The program is about to use CUPTI: it gets it, as if there were no recorder. `to` calls it.
void yield_gpu_time(std::string_view to) noexcept;
// What the program wanted of CUPTI is done; device times may be taken again if it let go of it.
void return_gpu_time() noexcept;

// In a forked child: forgets the parent's.
void forget_gpu_time() noexcept;

}  // namespace mfushim::shim
