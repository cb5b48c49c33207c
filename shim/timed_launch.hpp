// Which launches are timed by events: those that collectives and graphs are made of, and now and
// then those of a product. Elsewhere events stay out of the way.
#pragma once

#include <cstdint>

#include "event_timing.hpp"
#include "frame.hpp"
#include "mfushim/format/api.hpp"

namespace mfushim::shim {

// Of a launch's arguments: overloads of timed_launch(Tag, args...) give it.
struct TimedLaunch {
  const void* stream;         // a CUstream or cudaStream_t
  bool programmatic = false;  // may begin while the kernel before it runs
};

// Calls whose launches are timed as one, now and then.
constexpr bool is_product(format::ApiClass c) {
  return c == format::ApiClass::kGemm || c == format::ApiClass::kOperation;
}

// For before a launch, itself of that class, within `outer`. Null: it is not timed.
event_timing::Pair* begin_timing(format::ApiClass api_class, Frame* outer, TimedLaunch launch,
                                 bool per_thread) noexcept;
// For after it; gives the launch's correlation, which CUPTI may have told.
std::uint32_t end_timing(event_timing::Pair& pair, format::ApiClass api_class, Frame* outer,
                         const Details& details, std::uint32_t correlation) noexcept;

}  // namespace mfushim::shim
