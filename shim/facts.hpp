// Facts that make a log understandable elsewhere: process, job, machine, GPUs and libraries.
#pragma once

#include "clock.hpp"

namespace mfushim::shim {

// Rank as the launcher's environment gives it; -1: unknown.
long rank_from_environment() noexcept;

// Process, job and clock. Once, when recording starts.
void record_process_facts(const ClockRate& rate) noexcept;

// The GPUs as the driver describes them; asks for attributes only, in a thread of the program that
// is about to use them.
void record_devices() noexcept;

// The CUDA libraries loaded by now, and their versions; those recorded before are not again.
void record_modules() noexcept;

}  // namespace mfushim::shim
