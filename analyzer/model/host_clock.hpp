// From ticks of a log's host stamps to nanoseconds, by the clock anchors of the log.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mfushim/format/records.hpp"

namespace mfushim::model {

class HostClock {
 public:
  HostClock() = default;
  // Without anchors, time 0 is tick 0.
  HostClock(std::uint64_t ticks_per_second, std::vector<format::ClockAnchor> anchors);

  // CLOCK_REALTIME nanoseconds when anchored; between two anchors in a straight line.
  std::int64_t to_ns(std::uint64_t ticks) const;
  // Length of a span of ticks anywhere.
  std::int64_t length_ns(std::uint64_t ticks) const;

  bool anchored() const { return !anchors_.empty(); }
  std::uint32_t error_ns() const;
  // CLOCK_REALTIME when the log was closed, as its last anchor has it; absent where there is one
  // alone, from the beginning.
  std::optional<std::int64_t> end_ns() const;

 private:
  std::uint64_t ticks_per_second_ = 1'000'000'000;
  std::vector<format::ClockAnchor> anchors_;
};

}  // namespace mfushim::model
