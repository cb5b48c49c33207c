// Ties events to the host's clock: see event_clock.hpp.
#include "event_clock.hpp"

#include <algorithm>

#include "clock.hpp"

namespace mfushim::shim::event_timing {

namespace {

constexpr std::int64_t kPeriodNs = 4'000'000'000;
constexpr std::int64_t kFarthestNs = 8'000'000'000;
constexpr std::uint32_t kResolutionNs = 500;     // of elapsed times up to there
constexpr std::uint64_t kLongestNs = 1'000'000;  // a try that takes longer is given up
constexpr std::uint32_t kGoodNs = 5'000;         // half of what a try takes when nothing delays it
constexpr int kTries = 10;

}  // namespace

bool EventClock::make(const Driver& call) noexcept {
  if (call.cuStreamCreate(&own_, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS) return false;
  return std::all_of(anchors_.begin(), anchors_.end(), [&call](Anchor& anchor) {
    anchor.realtime_ns = 0;
    return call.cuEventCreate(&anchor.event, CU_EVENT_DEFAULT) == CUDA_SUCCESS;
  });
}

// The event happens between two looks at the host's clock.
bool EventClock::try_to_set(const Driver& call, Anchor& anchor) const noexcept {
  anchor.realtime_ns = 0;
  const std::uint64_t before = realtime_ns();
  if (call.cuEventRecord(anchor.event, own_) != CUDA_SUCCESS) return false;
  for (;;) {
    const CUresult done = call.cuEventQuery(anchor.event);
    const std::uint64_t width = realtime_ns() - before;
    if (done == CUDA_SUCCESS) {
      anchor.realtime_ns = static_cast<std::int64_t>(before + width / 2);
      anchor.error_ns = static_cast<std::uint32_t>(width / 2 + 1);
      return true;
    }
    if (done != CUDA_ERROR_NOT_READY || width > kLongestNs) return false;
  }
}

// An event knows its last recording alone, so that the last try counts, not the best.
void EventClock::set(const Driver& call) noexcept {
  tried_ns_ = static_cast<std::int64_t>(realtime_ns());
  Anchor& oldest = anchors_.front();
  for (int i = 0; i < kTries; ++i)
    if (!try_to_set(call, oldest) || oldest.error_ns <= kGoodNs) break;
  if (oldest.realtime_ns != 0) std::rotate(anchors_.begin(), anchors_.begin() + 1, anchors_.end());
}

bool EventClock::is_due() const noexcept {
  return static_cast<std::int64_t>(realtime_ns()) - tried_ns_ > kPeriodNs;
}

std::uint32_t EventClock::error_ns() const noexcept {
  return newest().error_ns + kResolutionNs;
}

// By the last anchor before it was asked for, or the first there is.
std::optional<std::int64_t> EventClock::time_of(const Driver& call, CUevent event,
                                                std::uint64_t asked_ns) const noexcept {
  const Anchor* best = nullptr;
  for (const Anchor& anchor : anchors_) {
    if (anchor.realtime_ns == 0) continue;
    if (best == nullptr || anchor.realtime_ns <= static_cast<std::int64_t>(asked_ns))
      best = &anchor;
  }
  if (best == nullptr) return std::nullopt;
  const auto after = elapsed_ns(call, best->event, event);
  if (!after || *after > kFarthestNs) return std::nullopt;
  return best->realtime_ns + *after;
}

}  // namespace mfushim::shim::event_timing
