// What hooks must know of streams: their ids in the log, and the graph they are captured into.
#pragma once

#include <atomic>
#include <cstdint>

#include "captures.hpp"
#include "frame.hpp"

namespace mfushim::shim {

namespace detail {

inline constexpr std::uint64_t kLegacyStream = 1;     // CU_STREAM_LEGACY
inline constexpr std::uint64_t kPerThreadStream = 2;  // CU_STREAM_PER_THREAD

// The stream that the calling thread used last, as long as handles and its context are the same.
struct LastStream {
  std::uint64_t handle;
  std::uint32_t id;  // 0: none
  std::uint32_t generation;
  std::uint32_t epoch;
};
extern MFUSHIM_THREAD_LOCAL LastStream t_last_stream;
extern constinit std::atomic<std::uint32_t> g_stream_epoch;

std::uint32_t find_stream(std::uint64_t handle) noexcept;

}  // namespace detail

// The work of a call goes into this stream: fills in its id, and the graph it is captured into.
// `handle` is a CUstream or cudaStream_t. What is known already stays.
[[gnu::always_inline]] inline void set_stream(Details& details, const void* handle) noexcept {
  if (details.stream != 0) return;
  auto stream = reinterpret_cast<std::uint64_t>(handle);
  if (stream == 0 && details.per_thread) stream = detail::kPerThreadStream;
  if (stream == detail::kLegacyStream) stream = 0;
  const detail::LastStream& last = detail::t_last_stream;
  const bool same = last.handle == stream && last.id != 0 && last.generation == generation() &&
                    last.epoch == detail::g_stream_epoch.load(std::memory_order_relaxed);
  details.stream = same ? last.id : detail::find_stream(stream);
  if (is_any_capturing()) [[unlikely]]
    details.graph = capture_of(stream);
}

// The calling thread's current context may be another one now.
void forget_context() noexcept;

// Handles of streams may be given to new ones.
void forget_streams() noexcept;

}  // namespace mfushim::shim
