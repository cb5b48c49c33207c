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

// Everything about a launch that repeats.
struct LaunchArguments {
  const void* function;
  std::uint32_t grid[3];
  std::uint32_t block[3];
  std::uint32_t shared_dynamic;
  std::uint32_t flags;
  std::uint32_t cluster[3];
};

// The id of the launch configuration.
std::uint32_t launch_config(const LaunchArguments& launch) noexcept;

}  // namespace mfushim::shim
