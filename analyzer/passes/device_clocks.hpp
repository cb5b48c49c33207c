// How fast the devices ran while they worked, and what held them back: from the samples of their
// clocks.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/run.hpp"
#include "passes/ledger.hpp"

namespace mfushim::passes {

// Of one rank's device, over its busy time: each instant counts as the sample nearest to it says.
struct DeviceClock {
  std::uint64_t samples = 0;  // those that are nearest to some of it
  double mean_mhz = 0;
  std::uint32_t min_mhz = 0;
  std::uint32_t max_mhz = 0;
  std::optional<std::uint32_t> max_celsius;
  std::optional<double> mean_watts;

  struct Limit {
    std::string_view name;
    double share;  // of the time
  };
  std::vector<Limit> limits;  // what held the clock back
};

// Absent without samples, or without device times.
std::optional<DeviceClock> find_device_clock(const model::Rank& rank,
                                             const std::optional<Activity>& activity);

}  // namespace mfushim::passes
