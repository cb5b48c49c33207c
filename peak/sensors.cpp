// NVML by hand: four functions of its public interface.
#include "sensors.hpp"

#include <dlfcn.h>

namespace mfushim::peak {

namespace {

constexpr int kSuccess = 0;
constexpr int kClockSm = 1;         // NVML_CLOCK_SM
constexpr int kTemperatureGpu = 0;  // NVML_TEMPERATURE_GPU

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

Sensors::Sensors(const std::string& uuid) {
  void* const library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    absent_because_ = "there is no libnvidia-ml.so.1";
    return;
  }
  int (*start)() = nullptr;
  int (*by_uuid)(const char*, void**) = nullptr;
  if (!find(library, "nvmlInit_v2", start) ||
      !find(library, "nvmlDeviceGetHandleByUUID", by_uuid) || start() != kSuccess ||
      by_uuid(uuid.c_str(), &device_) != kSuccess) {
    absent_because_ = "NVML does not know the GPU " + uuid;
    device_ = nullptr;
    return;
  }
  find(library, "nvmlDeviceGetClockInfo", clock_);
  find(library, "nvmlDeviceGetTemperature", temperature_);
  find(library, "nvmlDeviceGetPowerUsage", power_);
}

void Sensors::sample() {
  const Clock::time_point now = Clock::now();
  if (!device_ || now < next_) return;
  next_ = now + std::chrono::seconds(1);
  nlohmann::ordered_json one;
  unsigned value = 0;
  one["seconds"] = std::chrono::duration<double>(now - start_).count();
  if (clock_ && clock_(device_, kClockSm, &value) == kSuccess) one["sm_clock_mhz"] = value;
  if (temperature_ && temperature_(device_, kTemperatureGpu, &value) == kSuccess)
    one["temperature_c"] = value;
  if (power_ && power_(device_, &value) == kSuccess) one["power_w"] = value / 1000.0;  // of mW
  if (one.size() > 1) samples_.push_back(std::move(one));
}

void Sensors::report(nlohmann::ordered_json& json) const {
  if (samples_.empty())
    json["samples_absent_because"] =
        absent_because_.empty() ? "NVML tells nothing about this GPU" : absent_because_;
  else
    json["samples"] = samples_;
}

}  // namespace mfushim::peak
