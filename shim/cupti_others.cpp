// Counts and pointers; see cupti_others.hpp.
#include "cupti_others.hpp"

#include <atomic>

namespace mfushim::shim::cupti {

namespace {

constinit std::atomic<BufferWanted> g_wanted = nullptr;
constinit std::atomic<BufferFull> g_full = nullptr;
constinit std::atomic<Timestamp> g_timestamp = nullptr;
constinit std::atomic<std::int32_t> g_subscriptions = 0;
constinit std::atomic<std::uint64_t> g_kinds = 0;

}  // namespace

Callbacks others_callbacks() noexcept {
  return {g_wanted.load(), g_full.load(), g_timestamp.load()};
}

void others_registered(BufferWanted wanted, BufferFull full) noexcept {
  g_full.store(full);
  g_wanted.store(wanted);
}

void others_registered(Timestamp timestamp) noexcept {
  g_timestamp.store(timestamp);
}

void others_subscribed() noexcept {
  g_subscriptions.fetch_add(1);
}

void others_unsubscribed() noexcept {
  std::int32_t count = g_subscriptions.load();
  while (count > 0 && !g_subscriptions.compare_exchange_weak(count, count - 1)) {
  }
}

void others_enabled(std::uint32_t kind, bool on) noexcept {
  const std::uint64_t bit = std::uint64_t{1} << (kind % 64);
  if (on)
    g_kinds.fetch_or(bit);
  else
    g_kinds.fetch_and(~bit);
}

void others_gone() noexcept {
  g_subscriptions.store(0);
  g_kinds.store(0);
  g_wanted.store(nullptr);
  g_full.store(nullptr);
  g_timestamp.store(nullptr);
}

bool is_held_by_others() noexcept {
  return g_subscriptions.load() > 0 || g_kinds.load() != 0;
}

}  // namespace mfushim::shim::cupti
