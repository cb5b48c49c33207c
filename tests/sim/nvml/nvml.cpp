// libnvidia-ml.so.1 as far as frameworks ask it: how many GPUs there are, which, how they are
// linked, and how they fare.
//
// Declarations after NVML's public API reference; no header of it comes with the toolkit's runtime
// packages.
#include "clock_curve.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "mfusim/driver.h"

#define MFUSIM_NVML extern "C" __attribute__((visibility("default"))) int

namespace {

using mfusim::nvml::Reading;

// nvmlReturn_t
constexpr int kSuccess = 0, kInvalidArgument = 2, kNotSupported = 3, kNotFound = 6, kLost = 15;
constexpr int kClockSm = 1;  // nvmlClockType_t
constexpr int kUuidRoom = 37 + 4;

// A device's handle is its index + 1: never null.
using Device = void*;

unsigned gpu_count() {
  const char* text = getenv("MFUSIM_GPUS");
  return text ? unsigned(std::clamp(atoi(text), 0, 64)) : 1;
}
unsigned index_of(Device device) {
  return unsigned(reinterpret_cast<size_t>(device)) - 1;
}
int device_at(unsigned index, Device* out) {
  if (!out || index >= gpu_count()) return kInvalidArgument;
  *out = reinterpret_cast<Device>(size_t(index) + 1);
  return kSuccess;
}

// The bytes that cuDeviceGetUuid of the driver double gives, as nvidia-smi writes them.
void uuid_of(unsigned index, char (&text)[kUuidRoom]) {
  unsigned char bytes[16] = {};
  memcpy(bytes, "mfusim-gpu", 10);
  bytes[15] = static_cast<unsigned char>(index);
  int n = snprintf(text, sizeof text, "GPU-");
  for (int i = 0; i < 16; ++i) {
    const bool dash = i == 4 || i == 6 || i == 8 || i == 10;
    n += snprintf(text + n, sizeof text - size_t(n), dash ? "-%02x" : "%02x", bytes[i]);
  }
}

// MFUSIM_NVML: refuse:N (nvmlInit gives N), or lost (no clock can be asked).
int init_result() {
  const char* text = getenv("MFUSIM_NVML");
  return text && strncmp(text, "refuse:", 7) == 0 ? atoi(text + 7) : kSuccess;
}
bool is_lost() {
  const char* text = getenv("MFUSIM_NVML");
  return text && strcmp(text, "lost") == 0;
}

// Into the truth file, where there is a driver that keeps one.
void write_truth(Device device, const Reading& reading) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_NOW);
  const auto truth =
      driver ? reinterpret_cast<MfusimTruthFn>(dlsym(driver, MFUSIM_TRUTH_SYMBOL)) : nullptr;
  if (!truth) return;
  char line[160];
  snprintf(
      line, sizeof line, "{\"t\":\"clock\",\"device\":%u,\"time\":%lld,\"mhz\":%u,\"limits\":%llu}",
      index_of(device), static_cast<long long>(reading.time_ns), reading.megahertz, reading.limits);
  truth(line);
}

}  // namespace

MFUSIM_NVML nvmlInit() {
  return init_result();
}
MFUSIM_NVML nvmlInit_v2() {
  return init_result();
}
MFUSIM_NVML nvmlInitWithFlags(unsigned) {
  return init_result();
}
MFUSIM_NVML nvmlShutdown() {
  return kSuccess;
}
extern "C" __attribute__((visibility("default"))) const char* nvmlErrorString(int result) {
  return result == kSuccess ? "Success" : result == kNotSupported ? "Not Supported" : "Error";
}
MFUSIM_NVML nvmlSystemGetCudaDriverVersion_v2(int* version) {
  if (!version) return kInvalidArgument;
  *version = 13000;
  return kSuccess;
}
MFUSIM_NVML nvmlSystemGetDriverVersion(char* text, unsigned room) {
  snprintf(text, room, "580.0");
  return kSuccess;
}

MFUSIM_NVML nvmlDeviceGetCount_v2(unsigned* count) {
  if (!count) return kInvalidArgument;
  *count = gpu_count();
  return kSuccess;
}
MFUSIM_NVML nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* out) {
  return device_at(index, out);
}
// "0000:BUS:00.0", where BUS is the index + 1, as the driver double gives it.
MFUSIM_NVML nvmlDeviceGetHandleByPciBusId_v2(const char* text, Device* out) {
  unsigned domain = 0, bus = 0;
  if (!text || sscanf(text, "%x:%x", &domain, &bus) != 2 || bus == 0) return kInvalidArgument;
  return device_at(bus - 1, out) == kSuccess ? kSuccess : kNotFound;
}
MFUSIM_NVML nvmlDeviceGetHandleByUUID(const char* asked, Device* out) {
  char uuid[kUuidRoom];
  for (unsigned i = 0; asked && i < gpu_count(); ++i) {
    uuid_of(i, uuid);
    if (strcmp(uuid, asked) == 0) return device_at(i, out);
  }
  return kNotFound;
}
MFUSIM_NVML nvmlDeviceGetIndex(Device device, unsigned* out) {
  *out = index_of(device);
  return kSuccess;
}
MFUSIM_NVML nvmlDeviceGetUUID(Device device, char* text, unsigned room) {
  char uuid[kUuidRoom];
  uuid_of(index_of(device), uuid);
  snprintf(text, room, "%s", uuid);
  return kSuccess;
}

// A GPU at work that does not warm up.
MFUSIM_NVML nvmlDeviceGetClockInfo(Device device, int which, unsigned* megahertz) {
  if (!megahertz) return kInvalidArgument;
  if (is_lost()) return kLost;
  const Reading reading = mfusim::nvml::read_clock();
  *megahertz = reading.megahertz;
  if (which == kClockSm) write_truth(device, reading);
  return kSuccess;
}
MFUSIM_NVML nvmlDeviceGetCurrentClocksEventReasons(Device, unsigned long long* reasons) {
  if (!reasons) return kInvalidArgument;
  *reasons = mfusim::nvml::read_clock().limits;
  return kSuccess;
}
MFUSIM_NVML nvmlDeviceGetTemperature(Device, int, unsigned* celsius) {
  if (!celsius) return kInvalidArgument;
  *celsius = 61;
  return kSuccess;
}
MFUSIM_NVML nvmlDeviceGetPowerUsage(Device, unsigned* milliwatts) {
  if (!milliwatts) return kInvalidArgument;
  *milliwatts = 650'000;
  return kSuccess;
}

// Nobody else computes; links are there, and say nothing more.
MFUSIM_NVML nvmlDeviceGetComputeRunningProcesses(Device, unsigned* count, void*) {
  if (!count) return kInvalidArgument;
  *count = 0;
  return kSuccess;
}
MFUSIM_NVML nvmlDeviceGetP2PStatus(Device, Device, int, int* status) {
  if (!status) return kInvalidArgument;
  *status = 0;  // NVML_P2P_STATUS_OK
  return kSuccess;
}
MFUSIM_NVML nvmlDeviceGetNvLinkRemoteDeviceType(Device, unsigned, int*) {
  return kNotSupported;
}
MFUSIM_NVML nvmlDeviceGetNvLinkRemotePciInfo_v2(Device, unsigned, void*) {
  return kNotSupported;
}
MFUSIM_NVML nvmlDeviceGetGpuFabricInfoV(Device, void*) {
  return kNotSupported;
}
