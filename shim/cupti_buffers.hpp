// The buffers that CUPTI fills: a pool that is never freed, since CUPTI may keep one for ever.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mfushim::shim::cupti {

inline constexpr std::size_t kBufferBytes = 256 * 1024;  // 1200 kernels
inline constexpr std::size_t kPooledBuffers = 256;       // 64 MB, touched as far as they are used

// Null when all are in use, unless `always`, which then takes memory beyond the pool, up to as much
// again.
std::uint8_t* take_buffer(bool always) noexcept;
// CUPTI may hand over one that somebody else gave it.
bool is_our_buffer(const std::uint8_t* buffer) noexcept;
void give_back(std::uint8_t* buffer) noexcept;
std::size_t buffers_in_use() noexcept;

}  // namespace mfushim::shim::cupti
