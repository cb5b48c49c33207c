// Of which part of a run device times were taken.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/run.hpp"

namespace mfushim::passes {

// A stretch of one process's time with one source of device times, or none.
struct TimedStretch {
  const model::Process* process = nullptr;
  std::int64_t start_ns = 0;  // CLOCK_REALTIME
  std::int64_t end_ns = 0;
  format::GpuTimeSource source = format::GpuTimeSource::kNone;
  std::string_view reason;
};

struct WindowResult {
  std::vector<TimedStretch> stretches;
  std::uint64_t windows = 0;           // stretches with device times
  std::int64_t timed_ns = 0;           // their length
  std::int64_t total_ns = 0;           // first to last recorded call, all processes
  std::uint64_t untimed_launches = 0;  // launch calls outside of them
  std::int64_t coincident_ns = 0;      // timed in all processes at once, times their number

  // Where device times were taken of a part alone: that part.
  std::optional<double> share() const;
  // How well the processes' windows coincide.
  std::optional<double> coincidence() const;
};

WindowResult find_windows(const model::Run& run);

}  // namespace mfushim::passes
