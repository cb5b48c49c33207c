// Executable graphs, numbered by the recorder in the order of their first launches.
#pragma once

#include <cstdint>

namespace mfushim::shim {

// 0 when there is no room left.
std::uint32_t graph_number(const void* executable) noexcept;
// To be called before the driver destroys it.
void graph_destroyed(const void* executable) noexcept;

}  // namespace mfushim::shim
