// The life of one intercepted call, top to bottom.
#pragma once

#include <cstdint>
#include <utility>

#include "frame.hpp"
#include "gpu_time.hpp"
#include "links.hpp"
#include "real_call.hpp"
#include "redirect.hpp"
#include "rows.hpp"
#include "timed_launch.hpp"

namespace mfushim::shim {

// What hooks_*.cpp overload where the arguments of an entry point matter; twins (_ptsz, _64) share
// the overload of the plain name:
//   before(Tag, target, args...)            runs before the real call, recording or not
//   after(Tag, target, result, args...)     runs after it, recording or not
//   describe(Tag, target, details, args...) fills in a record
//   another(Tag, target, details, n, args...)  does so for the n-th record of the call, or returns
//                                           false: there is none
//   timed_launch(Tag, args...)              of a launch that events may time: its stream
template <format::Api api>
struct Tag {};

// Of the arguments of entry points that are alike at their end.
template <class Last>
Last last_of(Last last) {
  return last;
}
template <class First, class... Rest>
auto last_of(First, Rest... rest) {
  return last_of(rest...);
}

// Makes the call and writes its records: one, or one for each shape of work in it (of a call that
// failed, the arguments may be nonsense). `frame`: null for a leaf, whose record is begun when it
// is over. What rdtsc waits for is all that comes before it, so as little as can be does.
template <format::Api api, class R, class... Args>
[[gnu::always_inline]] inline Result<R> record(const Target& target, Frame* frame, Frame* outer,
                                               Details& details, R (*real)(Args...), Args... args) {
  constexpr format::ApiClass kClass = format::api_row(api).api_class;
  constexpr Tag<plain(api)> kTag;
  details.per_thread = is_per_thread(api);
  std::uint32_t& correlation = thread_state().correlation;
  const std::uint32_t outer_correlation = std::exchange(correlation, 0);
  event_timing::Pair* timing = nullptr;
  if constexpr (requires { timed_launch(kTag, args...); })
    if (event_timing::is_on()) [[unlikely]]
      timing = begin_timing(kClass, outer, timed_launch(kTag, args...), is_per_thread(api));
  const std::uint64_t start = now();
  const Result<R> result = call_real(real, args...);
  const std::uint64_t end = now();
  if constexpr (requires { after(kTag, target, result, args...); })
    after(kTag, target, result, args...);
  if constexpr (requires { describe(kTag, target, details, args...); })
    describe(kTag, target, details, args...);
  if (timing != nullptr) [[unlikely]]
    correlation = end_timing(*timing, kClass, outer, details, correlation);
  if constexpr (is_product(kClass))
    if (frame != nullptr && frame->pair != nullptr) [[unlikely]]
      event_timing::submit(*std::exchange(frame->pair, nullptr));
  covered(target.link.source);
  const Begun begun = frame != nullptr ? frame->begun : begin_call(outer);
  const Finished call{api, start, end, static_cast<std::int32_t>(result),
                      std::exchange(correlation, outer_correlation)};
  emit_call<kClass>(begun, details, call);
  if constexpr (requires { another(kTag, target, details, 1u, args...); })
    for (std::uint32_t n = 1; call.result == 0 && another(kTag, target, details, n, args...); ++n)
      emit_call<kClass>(begun, details, call);
  if constexpr (marks_steps(plain(api)))
    if (are_steps_wanted() && is_under_way(kClass, call.result) && details.graph == 0)
        [[unlikely]] {
      if constexpr (kClass == format::ApiClass::kGraphLaunch)
        mark_graph_launch(details.subject);
      else
        mark_collective(details.subject);
    }
  return result;
}

template <format::Api api, class R, class... Args>
[[gnu::always_inline]] inline Result<R> intercept(const void* caller, const void* stack,
                                                  Args... args) {
  constexpr format::ApiRow kRow = format::api_row(api);
  constexpr Tag<plain(api)> kTag;
  const Target target = take_target(api, caller);
  const auto real = reinterpret_cast<R (*)(Args...)>(target.link.real);
  if (real == nullptr) [[unlikely]]
    return static_cast<Result<R>>(not_supported(kRow.library));

  constexpr bool kBefore = requires {
    before(kTag, target, args...);
  };
  constexpr bool kAfter = requires {
    after(kTag, target, Result<R>{}, args...);
  };
  const auto after_call = [&](Result<R> result) {
    if constexpr (kAfter) after(kTag, target, result, args...);
    return result;
  };
  if constexpr (kBefore) before(kTag, target, args...);
  if constexpr (!is_recorded(kRow.api_class)) {
    static_assert(kBefore || kAfter, "a row that does nothing");
    return after_call(call_real(real, args...));
  } else {
    if (!recording()) [[unlikely]] {
      if constexpr (is_device_work(kRow.api_class)) start_recording();
      if (!recording()) return after_call(call_real(real, args...));
    }
    constexpr bool kDescribed = requires(Details & d) {
      describe(kTag, target, d, args...);
    };
    static_assert(kDescribed || !is_device_work(kRow.api_class),
                  "arguments that matter are unread");
    Frame* const outer = innermost_frame(stack);
    if (outer != nullptr && is_part(kRow, *outer)) {
      const Result<R> result = after_call(call_real(real, args...));
      if constexpr (kDescribed && tells_more(kRow.api_class))
        describe(kTag, target, outer->details, args...);
      return result;
    }
    if constexpr (kRow.library == format::Library::kDriver)
      if (target.link.leaf) [[likely]] {
        Details details;
        return record<api>(target, nullptr, outer, details, real, args...);
      }
    Frame* const frame = enter_frame(outer, kRow.api_class, stack);
    if (frame == nullptr) [[unlikely]]
      return after_call(call_real(real, args...));
    const Result<R> result = record<api>(target, frame, outer, frame->details, real, args...);
    leave_frame(frame);
    return result;
  }
}

}  // namespace mfushim::shim
