// The life of one intercepted call, top to bottom.
#pragma once

#include <cstdint>

#include "frame.hpp"
#include "real_call.hpp"
#include "redirect.hpp"
#include "resolve.hpp"
#include "rows.hpp"

namespace mfushim::shim {

// What hooks_*.cpp overload where the arguments of an entry point matter; twins (_ptsz, _64) share
// the overload of the plain name:
//   before(Tag, target, args...)            runs before the real call, recording or not
//   after(Tag, target, result, args...)     runs after it, recording or not
//   describe(Tag, target, details, args...) fills in a record
//   another(Tag, target, details, n, args...)  does so for the n-th record of the call, or returns
//                                           false: there is none
template <format::Api api>
struct Tag {};

// A call is one record, or one for each shape of work in it: of a call that failed, the arguments
// may be nonsense.
template <format::Api api, class... Args>
[[gnu::always_inline]] inline void emit_records(const Target& target, Frame& frame,
                                                const Finished& call, Args... args) {
  constexpr format::ApiClass kClass = format::api_row(api).api_class;
  constexpr Tag<plain(api)> kTag;
  emit_call<kClass>(frame, call);
  if constexpr (requires { another(kTag, target, frame.details, 1u, args...); })
    for (std::uint32_t n = 1; call.result == 0 && another(kTag, target, frame.details, n, args...);
         ++n)
      emit_call<kClass>(frame, call);
}

template <format::Api api, class R, class... Args>
[[gnu::always_inline]] inline Result<R> intercept(const void* caller, const void* stack,
                                                  Args... args) {
  constexpr format::ApiRow kRow = format::api_row(api);
  constexpr Tag<plain(api)> kTag;
  const Target target = take_target(api, caller);
  const auto real = reinterpret_cast<R (*)(Args...)>(target.real);
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
    if constexpr (is_device_work(kRow.api_class))
      if (!recording()) [[unlikely]]
        start_recording();
    if (!recording()) return after_call(call_real(real, args...));

    constexpr bool kDescribed = requires(Details & d) {
      describe(kTag, target, d, args...);
    };
    static_assert(kDescribed || !is_device_work(kRow.api_class),
                  "arguments that matter are unread");
    const auto describe_call = [&](Details& details) {
      if constexpr (kDescribed) describe(kTag, target, details, args...);
    };
    Frame* const outer = innermost_frame(stack);
    if (outer != nullptr && is_part(kRow, *outer)) {
      const Result<R> result = after_call(call_real(real, args...));
      if constexpr (tells_more(kRow.api_class)) describe_call(outer->details);
      return result;
    }
    Frame* const frame = enter_frame(kRow.api_class, is_per_thread(api), stack);
    if (frame == nullptr) [[unlikely]]
      return after_call(call_real(real, args...));
    covered(source_of(target.entry, caller));
    const std::uint64_t start = now();
    const Result<R> result = call_real(real, args...);
    const std::uint64_t end = now();
    after_call(result);
    describe_call(frame->details);
    const std::uint32_t correlation = leave_frame(*frame);
    emit_records<api>(target, *frame,
                      {api, start, end, static_cast<std::int32_t>(result), correlation}, args...);
    return result;
  }
}

}  // namespace mfushim::shim
