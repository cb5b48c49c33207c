// Hands out and takes back activity buffers without a lock.
#include "cupti_buffers.hpp"

#include <sys/mman.h>

#include <array>
#include <atomic>

namespace mfushim::shim::cupti {

namespace {

constinit std::atomic<std::uint8_t*> g_pool = nullptr;
constinit std::array<std::atomic<bool>, kPooledBuffers> g_used = {};
constinit std::array<std::atomic<std::uint8_t*>, kPooledBuffers> g_extra = {};
constinit std::atomic<std::size_t> g_in_use = 0;

std::uint8_t* map(std::size_t bytes) noexcept {
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? nullptr : static_cast<std::uint8_t*>(at);
}

std::uint8_t* pool() noexcept {
  std::uint8_t* have = g_pool.load();
  if (have != nullptr) return have;
  std::uint8_t* const made = map(kBufferBytes * kPooledBuffers);
  if (made == nullptr || g_pool.compare_exchange_strong(have, made)) return made;
  munmap(made, kBufferBytes * kPooledBuffers);
  return have;
}

bool is_pooled(const std::uint8_t* buffer) noexcept {
  const std::uint8_t* const base = g_pool.load();
  return base != nullptr && buffer >= base && buffer < base + kBufferBytes * kPooledBuffers;
}

}  // namespace

std::uint8_t* take_buffer(bool always) noexcept {
  if (std::uint8_t* const base = pool()) {
    for (std::size_t i = 0; i < kPooledBuffers; ++i) {
      if (g_used[i].exchange(true)) continue;
      g_in_use.fetch_add(1);
      return base + i * kBufferBytes;
    }
  }
  if (!always) return nullptr;
  std::uint8_t* const extra = map(kBufferBytes);
  if (extra == nullptr) return nullptr;
  for (auto& place : g_extra) {
    std::uint8_t* none = nullptr;
    if (!place.compare_exchange_strong(none, extra)) continue;
    g_in_use.fetch_add(1);
    return extra;
  }
  munmap(extra, kBufferBytes);
  return nullptr;
}

bool is_our_buffer(const std::uint8_t* buffer) noexcept {
  if (is_pooled(buffer)) return true;
  for (const auto& place : g_extra)
    if (buffer != nullptr && place.load() == buffer) return true;
  return false;
}

void give_back(std::uint8_t* buffer) noexcept {
  g_in_use.fetch_sub(1);
  if (is_pooled(buffer)) {
    g_used[static_cast<std::size_t>(buffer - g_pool.load()) / kBufferBytes].store(false);
    return;
  }
  for (auto& place : g_extra)
    if (place.load() == buffer) place.store(nullptr);
  munmap(buffer, kBufferBytes);
}

std::size_t buffers_in_use() noexcept {
  return g_in_use.load();
}

}  // namespace mfushim::shim::cupti
