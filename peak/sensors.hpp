// Clock, temperature and power of the GPU while it is measured, from NVML where there is one.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

namespace mfushim::peak {

class Sensors {
 public:
  // By the name that the driver gives the same GPU, "GPU-...".
  explicit Sensors(const std::string& uuid);

  // Reads them when a second has passed since the last time.
  void sample();

  // {"samples": [...]}, or why there are none.
  void report(nlohmann::ordered_json& json) const;

 private:
  using Clock = std::chrono::steady_clock;

  // nvmlReturn_t f(nvmlDevice_t, ...): declared after NVML's public reference, which no toolkit
  // package without the driver brings as a header.
  using ClockInfo = int (*)(void*, int, unsigned*);
  using Temperature = int (*)(void*, int, unsigned*);
  using Power = int (*)(void*, unsigned*);

  void* device_ = nullptr;
  ClockInfo clock_ = nullptr;
  Temperature temperature_ = nullptr;
  Power power_ = nullptr;
  std::string absent_because_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_;
  nlohmann::ordered_json samples_ = nlohmann::ordered_json::array();
};

}  // namespace mfushim::peak
