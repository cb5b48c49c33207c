// What the environment asks of the recorder.
#pragma once

#include <cstdint>
#include <optional>

#include "gpu_windows.hpp"
#include "mfushim/format/ring.hpp"

namespace mfushim::shim {

enum class GpuTimeMode : std::uint8_t { kAuto, kCupti, kEvents, kOff };

struct Config {
  bool disabled = false;
  bool verbose = false;
  GpuTimeMode gpu_time = GpuTimeMode::kAuto;
  std::optional<WindowPlan> windows;  // of device times; none: as the mode has it
  std::uint64_t max_bytes = 0;        // of the log; 0: no limit
  const char* out = "mfushim-logs";
  const char* ring_folder = format::kRingFolder;  // on tmpfs
};

// Reads MFUSHIM_*. A value that makes no sense is named once on stderr and its default is used.
Config read_config() noexcept;

// True when MFUSHIM_DISABLE is set to anything but nothing or 0; says nothing.
bool disabled_by_environment() noexcept;

}  // namespace mfushim::shim
