// What windows of device times cost the job, measured in it: how much slower it launches inside of
// them than in the pause before.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace mfushim::shim {

class WindowCost {
 public:
  struct Reading {
    std::uint64_t launches = 0;  // so far
    std::int64_t ns = 0;
  };

  void opened(Reading now) noexcept;
  void closed(Reading now) noexcept;
  // Others used CUPTI: neither this window nor the pause that follows tells anything.
  void disturbed() noexcept;

  // The share of its launches that a window loses at least, by the median of the latest windows
  // with a confidence of 95 %; 0 while that is not known.
  double least_loss() const noexcept;

 private:
  enum class Phase { kUnknown, kPause, kWindow };
  Phase phase_ = Phase::kUnknown;
  Reading since_;                    // beginning of the phase
  double pause_rate_ = 0;            // launches per nanosecond in the pause before; 0: not known
  std::array<double, 13> losses_{};  // the latest, in no order
  std::size_t count_ = 0;
};

}  // namespace mfushim::shim
