// How fast the GPUs of this process run: clock, temperature, power and what holds the clock back,
// from NVML's public interface, once a second.
#pragma once

#include <cstdint>

namespace mfushim::shim {

// A GPU by the names that the driver gives it, "GPU-..." and "0000:01:00.0"; empty: not known.
// Before the start.
void name_device(std::uint32_t index, const char* uuid, const char* bus) noexcept;

// The process works on this GPU: only such are asked about. From any thread.
void use_device(std::uint32_t index) noexcept;

// On a thread of its own, since NVML waits for the driver as long as that takes. Without NVML, or
// with one that fails, a fact in the log says so and nothing is tried again.
void start_device_clocks() noexcept;

// Takes a last sample and ends the thread.
void stop_device_clocks() noexcept;

// In a forked child: forgets the parent's.
void forget_device_clocks() noexcept;

}  // namespace mfushim::shim
