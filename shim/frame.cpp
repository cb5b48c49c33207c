// Turns finished calls into records.
#include "frame.hpp"

#include <atomic>

namespace mfushim::shim {

MFUSHIM_THREAD_LOCAL Frames t_frames{};

namespace {

using format::ApiClass;

std::uint32_t captured_name() noexcept {
  static constinit std::atomic<std::uint64_t> cached{0};  // generation and id
  std::uint64_t value = cached.load(std::memory_order_relaxed);
  if (value >> 32 != generation()) {
    value = std::uint64_t{generation()} << 32 | intern("captured");
    cached.store(value, std::memory_order_relaxed);
  }
  return static_cast<std::uint32_t>(value);
}

}  // namespace

void emit_call(const Frame& frame, format::Api api, std::uint64_t start, std::uint64_t end,
               std::int32_t result, std::uint32_t correlation) noexcept {
  const Details& d = frame.details;
  format::CallBase base;
  base.api = api_name(api);
  base.subject = d.subject;
  base.start = start;
  base.duration = end - start;
  base.sequence = frame.sequence;
  base.parent =
      frame.enclosing != 0 ? static_cast<std::uint32_t>(frame.sequence - frame.enclosing) : 0;
  base.result = result;
  if (d.captured) {
    base.subject = captured_name();
    return emit(format::Call{{base}, d.bytes});
  }
  switch (frame.api_class) {
    case ApiClass::kLaunch:
      return emit(format::Launch{{base}, d.stream, correlation});
    case ApiClass::kGraphLaunch:
      return emit(format::GraphLaunch{{base}, d.stream, correlation});
    case ApiClass::kCopy:
      base.subject = d.stream;
      return emit(format::Copy{{base}, d.bytes, d.copy_kind, correlation});
    case ApiClass::kSet:
      base.subject = d.stream;
      return emit(format::Set{{base}, d.bytes, correlation});
    case ApiClass::kSync:
      base.subject = d.stream;
      return emit(format::Sync{{base}});
    case ApiClass::kGemm:
      return emit(format::Gemm{{base}, d.stream, 1});
    case ApiClass::kCollective:
      return emit(format::Collective{{base}, d.stream, d.number, d.group});
    default:
      return emit(format::Call{{base}, d.bytes});
  }
}

}  // namespace mfushim::shim
