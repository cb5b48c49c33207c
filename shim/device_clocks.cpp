// NVML by hand: no package of the toolkit without the driver has its header, so its functions are
// declared after its public reference.
#include "device_clocks.hpp"

#include <dlfcn.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>

#include "clock.hpp"
#include "loaded.hpp"
#include "old_glibc.hpp"
#include "recorder.hpp"
#include "ring.hpp"
#include "threads.hpp"

namespace mfushim::shim {

namespace {

constexpr time_t kPeriodSeconds = 1;
constexpr int kStopSeconds = 1;
constexpr std::size_t kMostDevices = 64;

constexpr int kSuccess = 0;         // NVML_SUCCESS
constexpr int kClockSm = 1;         // NVML_CLOCK_SM
constexpr int kTemperatureGpu = 0;  // NVML_TEMPERATURE_GPU

using NvmlDevice = void*;

struct Nvml {
  int (*start)() = nullptr;
  int (*stop)() = nullptr;
  int (*by_uuid)(const char*, NvmlDevice*) = nullptr;
  int (*by_bus)(const char*, NvmlDevice*) = nullptr;
  int (*clock)(NvmlDevice, int, unsigned*) = nullptr;
  int (*temperature)(NvmlDevice, int, unsigned*) = nullptr;
  int (*power)(NvmlDevice, unsigned*) = nullptr;
  int (*limits)(NvmlDevice, unsigned long long*) = nullptr;
};

struct SampledDevice {
  char uuid[48] = "";
  char bus[16] = "";
  NvmlDevice handle = nullptr;
  bool failed = false;  // not asked again
};

struct Sampler {
  Nvml nvml;
  std::array<SampledDevice, kMostDevices> devices;
  std::atomic<std::uint64_t> used = 0;  // bit i: device i
  pthread_t thread{};
  bool started = false;
  std::atomic<bool> stop = false;
  std::atomic<std::uint32_t> events = 0;  // a futex: something to do before the next second
};
constinit Sampler g_sampler;

void tell(const char* text) noexcept {
  fact("nvml", text);
}

void tell_failure(const char* what, int result) noexcept {
  char text[96];
  std::snprintf(text, sizeof text, "%s: error %d", what, result);
  tell(text);
}

bool load(Nvml& nvml) noexcept {
  void* const library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    tell("there is no libnvidia-ml.so.1");
    return false;
  }
  find_function(library, "nvmlInit_v2", nvml.start);
  find_function(library, "nvmlShutdown", nvml.stop);
  find_function(library, "nvmlDeviceGetHandleByUUID", nvml.by_uuid);
  find_function(library, "nvmlDeviceGetHandleByPciBusId_v2", nvml.by_bus);
  find_function(library, "nvmlDeviceGetClockInfo", nvml.clock);
  find_function(library, "nvmlDeviceGetTemperature", nvml.temperature);
  find_function(library, "nvmlDeviceGetPowerUsage", nvml.power);
  find_function(library, "nvmlDeviceGetCurrentClocksEventReasons", nvml.limits);
  if (nvml.limits == nullptr)  // its older name
    find_function(library, "nvmlDeviceGetCurrentClocksThrottleReasons", nvml.limits);
  if (nvml.start == nullptr || nvml.stop == nullptr || nvml.clock == nullptr) {
    tell("libnvidia-ml.so.1 lacks functions");
    return false;
  }
  if (const int result = nvml.start(); result != kSuccess) {
    tell_failure("nvmlInit_v2", result);
    return false;
  }
  return true;
}

// An instance of a partitioned GPU has an identity of its own, but its GPU's place and clock.
bool find_handle(const Nvml& nvml, SampledDevice& device) noexcept {
  if (device.handle != nullptr) return true;
  int result = -1;
  if (device.uuid[0] != '\0' && nvml.by_uuid != nullptr)
    result = nvml.by_uuid(device.uuid, &device.handle);
  if (result != kSuccess && device.bus[0] != '\0' && nvml.by_bus != nullptr)
    result = nvml.by_bus(device.bus, &device.handle);
  if (result == kSuccess && device.handle != nullptr) return true;
  tell_failure("NVML does not know a GPU of this process", result);
  device.handle = nullptr;
  device.failed = true;
  return false;
}

void sample(const Nvml& nvml, std::uint32_t index, SampledDevice& device) noexcept {
  if (device.failed || !find_handle(nvml, device)) return;
  format::GpuState state;
  state.device = index;
  unsigned value = 0;
  if (const int result = nvml.clock(device.handle, kClockSm, &value); result != kSuccess) {
    tell_failure("nvmlDeviceGetClockInfo", result);
    device.failed = true;
    return;
  }
  state.ticks = now();
  state.sm_mhz = value;
  if (nvml.temperature && nvml.temperature(device.handle, kTemperatureGpu, &value) == kSuccess)
    state.celsius = value;
  if (nvml.power && nvml.power(device.handle, &value) == kSuccess) state.milliwatts = value;
  unsigned long long limits = 0;
  const bool told = nvml.limits && nvml.limits(device.handle, &limits) == kSuccess;
  state.limits = told ? limits : format::kLimitsUnknown;
  emit_device(0, state);
}

void sample_all(Sampler& s) noexcept {
  const std::uint64_t begin = detail::monotonic_ns();
  const std::uint64_t used = s.used.load();
  for (std::uint32_t i = 0; i < kMostDevices; ++i)
    if ((used >> i & 1) != 0) sample(s.nvml, i, s.devices[i]);
  const format::Ring ring = current_ring();
  if (!ring) return;
  auto& cost = ring.header().costs[static_cast<std::size_t>(format::RingCost::kNvml)];
  cost.count.fetch_add(1);
  cost.total_ns.fetch_add(detail::monotonic_ns() - begin);
}

void* run(void*) noexcept {
  prctl(PR_SET_NAME, "mfushim-nvml");
  Sampler& s = g_sampler;
  if (!load(s.nvml)) return nullptr;
  while (!s.stop.load()) {
    const std::uint32_t seen = s.events.load();
    sample_all(s);
    const timespec period = {kPeriodSeconds, 0};
    syscall(SYS_futex, &s.events, FUTEX_WAIT, seen, &period, nullptr, 0);
  }
  sample_all(s);
  s.nvml.stop();
  return nullptr;
}

void wake(Sampler& s) noexcept {
  s.events.fetch_add(1);
  syscall(SYS_futex, &s.events, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

}  // namespace

void name_device(std::uint32_t index, const char* uuid, const char* bus) noexcept {
  if (index >= kMostDevices) return;
  SampledDevice& device = g_sampler.devices[index];
  std::snprintf(device.uuid, sizeof device.uuid, "%s", uuid);
  std::snprintf(device.bus, sizeof device.bus, "%s", bus);
}

void use_device(std::uint32_t index) noexcept {
  if (index >= kMostDevices) return;
  const std::uint64_t bit = std::uint64_t{1} << index;
  if ((g_sampler.used.load() & bit) != 0 || (g_sampler.used.fetch_or(bit) & bit) != 0) return;
  wake(g_sampler);
}

void start_device_clocks() noexcept {
  Sampler& s = g_sampler;
  s.started = start_thread(s.thread, run, nullptr);
  if (!s.started) tell("no thread to ask it on");
}

void stop_device_clocks() noexcept {
  Sampler& s = g_sampler;
  if (!s.started) return;
  s.stop.store(true);
  wake(s);
  s.started = !join_thread(s.thread, kStopSeconds);
}

void forget_device_clocks() noexcept {
  Sampler& s = g_sampler;
  s.devices = {};
  s.used.store(0);
  s.started = false;
  s.stop.store(false);
}

}  // namespace mfushim::shim
