// Chooses launches; see timed_launch.hpp.
#include "timed_launch.hpp"

#include <atomic>
#include <utility>

#include "captures.hpp"
#include "streams.hpp"

namespace mfushim::shim {

namespace {

using enum format::ApiClass;

bool is_product_call(const Frame* outer) noexcept {
  return outer != nullptr && is_product(outer->api_class);
}

bool is_chosen(format::ApiClass api_class, Frame* outer) noexcept {
  if (api_class == kGraphLaunch) return true;
  if (outer == nullptr) return false;
  if (outer->api_class == kCollective || outer->api_class == kGroup) return true;
  if (!is_product_call(outer)) return false;
  if (outer->timing == Frame::Timing::kUndecided)
    outer->timing =
        event_timing::is_product_due() ? Frame::Timing::kTimed : Frame::Timing::kNotTimed;
  return outer->timing == Frame::Timing::kTimed;
}

// An event between two kernels that may overlap keeps them apart. A stream that had such a kernel
// will have another: it is left alone. By a hash, so that others may be with it.
constinit std::atomic<std::uint64_t> g_programmatic{0};

bool may_be_programmatic(std::uint64_t stream, bool launch) noexcept {
  const std::uint64_t bit = std::uint64_t{1} << (stream * 0x9E3779B97F4A7C15 >> 58);
  if (launch) g_programmatic.fetch_or(bit, std::memory_order_relaxed);
  return (g_programmatic.load(std::memory_order_relaxed) & bit) != 0;
}

// In a capture an event is a node of the graph, and the default stream must not be used.
bool may_capture(std::uint64_t stream) noexcept {
  return is_any_capturing() && (stream == 0 || capture_of(stream) != 0);
}

// A product of which not all can be timed is not timed.
void forget_pair(Frame* outer) noexcept {
  if (outer == nullptr || outer->pair == nullptr) return;
  event_timing::drop(*std::exchange(outer->pair, nullptr));
  outer->timing = Frame::Timing::kNotTimed;
}

}  // namespace

event_timing::Pair* begin_timing(format::ApiClass api_class, Frame* outer, TimedLaunch launch,
                                 bool per_thread) noexcept {
  auto stream = reinterpret_cast<std::uint64_t>(launch.stream);
  if (stream == 0 && per_thread) stream = detail::kPerThreadStream;
  if (stream == detail::kLegacyStream) stream = 0;
  if (may_be_programmatic(stream, launch.programmatic) || !is_chosen(api_class, outer) ||
      may_capture(stream)) {
    forget_pair(outer);
    return nullptr;
  }
  if (api_class == kGraphLaunch || !is_product_call(outer))
    return event_timing::begin(stream, event_timing::Measure::kFromStream);
  if (outer->pair == nullptr)
    outer->pair = event_timing::begin(stream, event_timing::Measure::kOwnTime);
  if (outer->pair == nullptr) outer->timing = Frame::Timing::kNotTimed;
  return outer->pair;
}

// One pair is around all launches of a product: its second event is put again after each of them.
std::uint32_t end_timing(event_timing::Pair& pair, format::ApiClass api_class, Frame* outer,
                         const Details& details, std::uint32_t correlation) noexcept {
  if (correlation != 0) {
    if (outer != nullptr && outer->pair == &pair)
      forget_pair(outer);
    else
      event_timing::drop(pair);
    return correlation;
  }
  const bool is_graph = api_class == kGraphLaunch;
  const std::uint32_t own = event_timing::end(pair, is_graph ? 0 : details.subject, details.stream);
  if (is_graph || !is_product_call(outer)) event_timing::submit(pair);
  return own;
}

}  // namespace mfushim::shim
