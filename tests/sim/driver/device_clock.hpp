// The simulator's one clock: real time, so that a host that launches too slowly really starves the
// device.
#pragma once
#include <cstdint>

namespace mfusim {

// CLOCK_REALTIME in ns: what CUPTI reports by default on Linux.
uint64_t now_ns();

// MFUSIM_INSTANT=1: device work takes no time, so nothing ever waits for it.
bool instant();

// Returns once now_ns() >= deadline: sleeps for the bulk, spins at the end, as a spinning driver
// does.
void wait_until(uint64_t deadline_ns);

}  // namespace mfusim
