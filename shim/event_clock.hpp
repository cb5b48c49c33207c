// What time it was when an event of a context happened.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "event_driver.hpp"

namespace mfushim::shim::event_timing {

// Events tell times between each other alone, as floats of milliseconds: eight seconds apart to
// half a microsecond. So there is an event whose time is known, an anchor, every four seconds.
class EventClock {
 public:
  // In the current context; false when the driver refuses.
  bool make(const Driver& call) noexcept;
  // Sets another anchor; the clock stays as it was when the device has no time for that.
  void set(const Driver& call) noexcept;
  bool is_set() const noexcept { return newest().realtime_ns != 0; }
  bool is_due() const noexcept;
  std::uint32_t error_ns() const noexcept;  // of times

  // CLOCK_REALTIME of an event that has happened, after `asked_ns`.
  std::optional<std::int64_t> time_of(const Driver& call, CUevent event,
                                      std::uint64_t asked_ns) const noexcept;

 private:
  struct Anchor {
    CUevent event;
    std::int64_t realtime_ns;  // 0: none yet
    std::uint32_t error_ns;
  };
  const Anchor& newest() const noexcept { return anchors_.back(); }
  bool try_to_set(const Driver& call, Anchor& anchor) const noexcept;

  CUstream own_;  // non-blocking: anchors meet no work of the program's there
  std::int64_t tried_ns_;
  std::array<Anchor, 3> anchors_;  // the last ones, oldest first
};

}  // namespace mfushim::shim::event_timing
