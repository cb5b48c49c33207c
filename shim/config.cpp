// Reads the recorder's environment variables.
#include "config.hpp"

#include <cstdlib>
#include <cstring>

#include "messages.hpp"

namespace mfushim::shim {

namespace {

const char* value_of(const char* name) noexcept {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

// True for 1, false for 0 or unset; anything else is reported and counts as `otherwise`.
bool read_switch(const char* name, bool otherwise) noexcept {
  const char* const value = value_of(name);
  if (value == nullptr || std::strcmp(value, "0") == 0) return false;
  if (std::strcmp(value, "1") == 0) return true;
  say("%s=%s is neither 0 nor 1; using %d", name, value, otherwise ? 1 : 0);
  return otherwise;
}

GpuTimeMode read_gpu_time() noexcept {
  const char* const value = value_of("MFUSHIM_GPU_TIME");
  if (value == nullptr || std::strcmp(value, "auto") == 0) return GpuTimeMode::kAuto;
  if (std::strcmp(value, "cupti") == 0) return GpuTimeMode::kCupti;
  if (std::strcmp(value, "events") == 0) return GpuTimeMode::kEvents;
  if (std::strcmp(value, "off") == 0) return GpuTimeMode::kOff;
  say("MFUSHIM_GPU_TIME=%s is none of auto, cupti, events, off; using auto", value);
  return GpuTimeMode::kAuto;
}

std::optional<WindowPlan> read_windows() noexcept {
  const char* const value = value_of("MFUSHIM_WINDOW");
  if (value == nullptr) return std::nullopt;
  const auto plan = parse_windows(value);
  if (!plan)
    say("MFUSHIM_WINDOW=%s is not START:LENGTH[:PERIOD] in seconds, as in 60:5:300, or in steps, "
        "as in 100steps:5steps:1000steps; no windows are used",
        value);
  return plan;
}

// Bytes with an optional K, M, G or T (powers of 1024) and B, as in 500M or 2GB.
std::uint64_t read_size(const char* name) noexcept {
  const char* const value = value_of(name);
  if (value == nullptr) return 0;
  char* end = nullptr;
  const double number = std::strtod(value, &end);
  double unit = 1;
  if (const char* const letter = *end != '\0' ? std::strchr("KMGTkmgt", *end) : nullptr) {
    const auto power = (letter - "KMGTkmgt") % 4 + 1;
    for (long i = 0; i < power; ++i) unit *= 1024;
    ++end;
  }
  if (*end == 'B' || *end == 'b') ++end;
  const double bytes = number * unit;
  if (end != value && *end == '\0' && bytes >= 1 && bytes < 1e18)
    return static_cast<std::uint64_t>(bytes);
  say("%s=%s is not a size such as 500M; no limit is used", name, value);
  return 0;
}

void report_unused(const char* name, const char* usual) noexcept {
  const char* const value = value_of(name);
  if (value != nullptr && std::strcmp(value, usual) != 0)
    say("%s=%s has no effect in this version", name, value);
}

}  // namespace

bool disabled_by_environment() noexcept {
  const char* const value = value_of("MFUSHIM_DISABLE");
  return value != nullptr && std::strcmp(value, "0") != 0;
}

Config read_config() noexcept {
  Config config;
  config.disabled = disabled_by_environment();
  if (config.disabled) return config;
  config.verbose = read_switch("MFUSHIM_VERBOSE", true);
  config.gpu_time = read_gpu_time();
  config.windows = read_windows();
  config.max_bytes = read_size("MFUSHIM_MAX_BYTES");
  if (const char* const out = value_of("MFUSHIM_OUT")) config.out = out;
  if (const char* const folder = value_of("MFUSHIM_RING_DIR")) config.ring_folder = folder;
  report_unused("MFUSHIM_STACKS", "off");
  return config;
}

}  // namespace mfushim::shim
