// Names of kernels by their handles, learned where the driver makes the handles: asking the driver
// for the name of a handle of unknown kind is undefined.
#pragma once

#include <cstdint>
#include <string_view>

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

// Everything about a launch that repeats, in words as the cache compares them: narrow stores that
// are read back wide would stall each launch.
struct LaunchWords {
  const void* function;
  std::uint64_t grid_xy, grid_z_block_x, block_yz;
  std::uint64_t rest;  // dynamic shared memory; cluster x, y, z and flags, 8 bits each
};

constexpr std::uint64_t pair(std::uint32_t low, std::uint32_t high) {
  return std::uint64_t{high} << 32 | low;
}
constexpr LaunchWords launch_words(const void* function, Extent grid, Extent block,
                                   std::uint32_t shared_dynamic, std::uint32_t flags = 0,
                                   Extent cluster = {}) {
  return {function, pair(grid.x, grid.y), pair(grid.z, block.x), pair(block.y, block.z),
          pair(shared_dynamic, cluster.x | cluster.y << 8 | cluster.z << 16 | flags << 24)};
}

// The id of the launch configuration.
std::uint32_t launch_config(const LaunchWords& launch) noexcept;

}  // namespace mfushim::shim
