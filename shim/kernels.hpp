// Names of kernels by their handles, learned where the driver makes the handles: asking the driver
// for the name of a handle of unknown kind is undefined.
#pragma once

#include <cstdint>
#include <string_view>

#include "memo.hpp"

namespace mfushim::shim {

// `owner` is the module or library whose unloading ends the handle.
void kernel_made(const void* handle, const void* owner, std::string_view name) noexcept;
// `handle` is another handle of a known kernel.
void kernel_alias(const void* handle, const void* known) noexcept;
// To be called before the driver unloads: it may give the handles away at once.
void kernels_unloaded(const void* owner) noexcept;

struct Extent {
  std::uint32_t x = 0, y = 0, z = 0;
};

// Everything about a launch that repeats, in words as the cache compares them: function; grid x, y;
// grid z, block x; block y, z; dynamic shared memory with cluster x, y, z and flags, 8 bits each.
using LaunchMemo = Memo<5, 1024>;
using LaunchWords = LaunchMemo::Key;

constexpr std::uint64_t pair(std::uint32_t low, std::uint32_t high) {
  return std::uint64_t{high} << 32 | low;
}
inline LaunchWords launch_words(const void* function, Extent grid, Extent block,
                                std::uint32_t shared_dynamic, std::uint32_t flags = 0,
                                Extent cluster = {}) {
  return {reinterpret_cast<std::uint64_t>(function), pair(grid.x, grid.y), pair(grid.z, block.x),
          pair(block.y, block.z),
          pair(shared_dynamic, cluster.x | cluster.y << 8 | cluster.z << 16 | flags << 24)};
}

namespace detail {
extern constinit LaunchMemo g_launches;
std::uint32_t new_launch_config(const LaunchWords& launch) noexcept;
}  // namespace detail

// The id of the launch configuration.
[[gnu::always_inline]] inline std::uint32_t launch_config(const LaunchWords& launch) noexcept {
  return detail::g_launches.get(launch, [&] { return detail::new_launch_config(launch); });
}

}  // namespace mfushim::shim
