// The recorded calls in progress on a thread: what is learned about one, by itself and by the calls
// beneath it, until its record is written.
//
// Frames live in thread-local memory, never on the program's stack: should a call be left without
// a return (an exception thrown through it), a stale frame costs a wrong parent, not a wild store.
#pragma once

#include <cstdint>

#include "mfushim/format/api.hpp"
#include "mfushim/format/enums.hpp"
#include "mfushim/format/records.hpp"
#include "recorder.hpp"

namespace mfushim::shim {

// What a call is about. Filled from the inside out: the innermost call of the same class knows
// best, and what it left unknown its callers add. Of a call that makes a graph: graphs.hpp.
struct Details {
  std::uint32_t subject = 0;
  std::uint32_t stream = 0;
  std::uint64_t bytes = 0;
  std::uint32_t number = 0;  // of a collective in its communicator; of products of this shape
  std::uint32_t group = 0;
  std::uint32_t graph = 0;  // that the work went into instead of being done
  format::CopyKind copy_kind = format::CopyKind::kUnknown;
  bool filled = false;
  bool per_thread = false;  // the entry point's null stream is the thread's own

  void set_bytes(std::uint64_t count) noexcept {
    if (!filled) bytes = count;
    filled = true;
  }
  void set_copy(std::uint64_t count, format::CopyKind kind) noexcept {
    set_bytes(count);
    if (copy_kind == format::CopyKind::kUnknown) copy_kind = kind;
  }
};

// Which of the thread's recorded calls one is.
struct Begun {
  std::uint64_t sequence;
  std::uint32_t parent;  // sequence distance back to the recorded call around, 0: none
};

namespace event_timing {
struct Pair;
}

struct Frame {
  enum class Timing : std::uint8_t { kUndecided, kTimed, kNotTimed };

  const void* stack;  // of the call's thunk
  Begun begun;
  format::ApiClass api_class;
  Timing timing;             // of the launches beneath, by events
  event_timing::Pair* pair;  // around those of a product; null: none yet
  Details details;
};

inline constexpr std::uint32_t kMaxFrames = 8;

struct Frames {
  Frame* innermost = nullptr;
  Frame frame[kMaxFrames];
};

extern MFUSHIM_THREAD_LOCAL Frames t_frames;

inline Frame* frame_around(Frame* frame) noexcept {
  return frame != t_frames.frame ? frame - 1 : nullptr;
}

// The innermost call in progress whose stack still stands; null at top level.
inline Frame* innermost_frame(const void* stack) noexcept {
  Frame* frame = t_frames.innermost;
  while (frame != nullptr && frame->stack <= stack)
    [[unlikely]] t_frames.innermost = frame = frame_around(frame);
  return frame;
}

inline Begun begin_call(const Frame* outer) noexcept {
  const std::uint64_t sequence = ++thread_state().sequence;
  return {sequence,
          outer != nullptr ? static_cast<std::uint32_t>(sequence - outer->begun.sequence) : 0};
}

// Within `outer`. Null, and one record lost, when calls are nested deeper than any library does.
inline Frame* enter_frame(Frame* outer, format::ApiClass api_class, const void* stack) noexcept {
  Frames& frames = t_frames;
  Frame* const frame = outer == nullptr ? frames.frame : outer + 1;
  if (frame == frames.frame + kMaxFrames) [[unlikely]] {
    loss(format::LossCause::kNotRecorded, 1, "calls nested too deep");
    return nullptr;
  }
  *frame = {stack, begin_call(outer), api_class, Frame::Timing::kUndecided, nullptr, {}};
  frames.innermost = frame;
  return frame;
}

inline void leave_frame(Frame* frame) noexcept {
  t_frames.innermost = frame_around(frame);
}

// What the program's call came to.
struct Finished {
  format::Api api;
  std::uint64_t start;
  std::uint64_t end;
  std::int32_t result;
  std::uint32_t correlation;
};

// The record of a class.
consteval format::Kind kind_of(format::ApiClass api_class) {
  using enum format::ApiClass;
  switch (api_class) {
    case kLaunch:
      return format::Kind::kLaunch;
    case kGraphLaunch:
      return format::Kind::kGraphLaunch;
    case kCopy:
      return format::Kind::kCopy;
    case kSet:
      return format::Kind::kSet;
    case kSync:
      return format::Kind::kSync;
    case kGemm:
      return format::Kind::kGemm;
    case kOperation:
      return format::Kind::kOperation;
    case kCollective:
      return format::Kind::kCollective;
    default:
      return format::Kind::kCall;
  }
}

// Writes the record of a finished call.
template <format::ApiClass api_class>
[[gnu::always_inline]] inline void emit_call(const Begun& begun, const Details& d,
                                             const Finished& call) noexcept {
  using enum format::ApiClass;
  format::CallBase base;
  base.api = api_name(call.api);
  base.subject = d.subject;
  base.start = call.start;
  base.duration = call.end - call.start;
  base.sequence = begun.sequence;
  base.parent = begun.parent;
  base.result = call.result;
  if constexpr (api_class == kCopy || api_class == kSet || api_class == kSync)
    base.subject = d.stream;
  if (d.graph != 0) [[unlikely]]
    return emit(format::Captured{{base}, d.graph, kind_of(api_class), d.number, d.group});
  if constexpr (api_class == kLaunch)
    emit(format::Launch{{base}, d.stream, call.correlation});
  else if constexpr (api_class == kGraphLaunch)
    emit(format::GraphLaunch{{base}, d.stream, call.correlation});
  else if constexpr (api_class == kCopy)
    emit(format::Copy{{base}, d.bytes, d.copy_kind, call.correlation});
  else if constexpr (api_class == kSet)
    emit(format::Set{{base}, d.bytes, call.correlation});
  else if constexpr (api_class == kSync)
    emit(format::Sync{{base}});
  else if constexpr (api_class == kGemm)
    emit(format::Gemm{{base}, d.stream, d.number});
  else if constexpr (api_class == kOperation)
    emit(format::Operation{{base}, d.stream});
  else if constexpr (api_class == kCollective)
    emit(format::Collective{{base}, d.stream, d.number, d.group});
  else if constexpr (api_class == kGraph)
    d.subject != 0
        ? emit(format::Graph{{base}, d.number, d.group, static_cast<std::uint32_t>(d.bytes)})
        : emit(format::Call{{base}, d.bytes});
  else
    emit(format::Call{{base}, d.bytes});
}

}  // namespace mfushim::shim
