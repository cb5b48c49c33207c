// What frames keep beside their thread.
#include "frame.hpp"

#include <atomic>

namespace mfushim::shim {

MFUSHIM_THREAD_LOCAL Frames t_frames{};

std::uint32_t captured_name() noexcept {
  static constinit std::atomic<std::uint64_t> cached{0};  // generation and id
  std::uint64_t value = cached.load(std::memory_order_relaxed);
  if (value >> 32 != generation()) {
    value = std::uint64_t{generation()} << 32 | intern("captured");
    cached.store(value, std::memory_order_relaxed);
  }
  return static_cast<std::uint32_t>(value);
}

}  // namespace mfushim::shim
