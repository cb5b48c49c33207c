// The table of communicators; see communicators.hpp. Entries are few and found by a short search.
#include "communicators.hpp"

#include <array>
#include <cstdio>

#include "facts.hpp"
#include "recorder.hpp"

namespace mfushim::shim {
namespace {

constinit std::array<CommunicatorState, 1024> g_communicators{};
constinit std::atomic<std::size_t> g_used{0};  // entries from here on were never taken

// Messages per communicator, peer and direction: key and count.
struct Messages {
  std::atomic<std::uint64_t> key;
  std::atomic<std::uint32_t> count;
};
constinit std::array<Messages, 8192> g_messages{};

// Who this process is, when the launcher did not say: the rank in the first communicator that was
// made for more than one rank.
void learn_identity(const CommunicatorState& c) noexcept {
  static constinit std::atomic<std::uint32_t> learned{0};  // in this generation
  const std::int32_t rank = c.rank, size = c.size;
  if (c.parent != 0 || c.hash == 0 || rank < 0 || size < 2 ||
      learned.exchange(generation()) == generation())
    return;
  char text[32];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(c.hash));
  fact("run.nccl_hash", text);
  if (rank_from_environment() >= 0) return;
  std::snprintf(text, sizeof text, "%d", rank);
  fact("rank", text);
  fact("rank_source", "nccl");
  std::snprintf(text, sizeof text, "%d", size);
  fact("world_size", text);
}

}  // namespace

CommunicatorState* communicator_made(const void* handle, std::uint64_t hash, std::uint64_t parent,
                                     std::int32_t rank, std::int32_t size) noexcept {
  if (handle == nullptr) return nullptr;
  communicator_ended(handle);
  for (std::size_t i = 0; i < g_communicators.size(); ++i) {
    CommunicatorState& c = g_communicators[i];
    const void* expected = nullptr;
    // Taken under its own address until it is complete.
    if (!c.handle.compare_exchange_strong(expected, &c)) continue;
    std::size_t used = g_used.load();
    while (used < i + 1 && !g_used.compare_exchange_weak(used, i + 1)) {
    }
    c.hash = hash;
    c.parent = parent;
    c.rank = rank;
    c.size = size;
    c.collectives = 0;
    c.splits = 0;
    c.id = 0;
    for (Messages& m : g_messages)
      if (m.key.load(std::memory_order_relaxed) >> 33 == i + 1) m.count = 0;
    c.handle.store(handle, std::memory_order_release);
    return &c;
  }
  loss(format::LossCause::kDefinitionsFull, 1, "communicators");
  return nullptr;
}

void communicator_ended(const void* handle) noexcept {
  if (CommunicatorState* const c = find_communicator(handle)) c->handle.store(nullptr);
}

CommunicatorState* find_communicator(const void* handle) noexcept {
  if (handle == nullptr) return nullptr;
  const std::size_t used = g_used.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < used; ++i)
    if (g_communicators[i].handle.load(std::memory_order_acquire) == handle)
      return &g_communicators[i];
  return nullptr;
}

std::uint64_t split_hash(std::uint64_t parent, std::uint64_t number, std::int64_t color) noexcept {
  const std::uint64_t seed[] = {number, static_cast<std::uint64_t>(color)};
  return fnv1a(reinterpret_cast<const char*>(seed), sizeof seed, parent);
}

std::uint32_t communicator_id(CommunicatorState& c) noexcept {
  std::uint64_t value = c.id.load(std::memory_order_relaxed);
  if (value >> 32 == generation()) return static_cast<std::uint32_t>(value);
  format::Communicator definition;
  definition.hash = c.hash;
  definition.rank = c.rank;
  definition.size = c.size;
  for (CommunicatorState& other : g_communicators)
    if (c.parent != 0 && other.handle.load() != nullptr && other.hash == c.parent)
      definition.parent = communicator_id(other);
  value = std::uint64_t{generation()} << 32 | intern(definition);
  c.id.store(value, std::memory_order_relaxed);
  learn_identity(c);
  return static_cast<std::uint32_t>(value);
}

std::uint32_t next_message(const CommunicatorState& c, bool sends, std::int32_t peer) noexcept {
  const auto index = static_cast<std::uint64_t>(&c - g_communicators.data());
  const std::uint64_t key =
      (index + 1) << 33 | std::uint64_t{sends} << 32 | static_cast<std::uint32_t>(peer);
  const std::uint64_t hash = key * 0x9e3779b97f4a7c15u >> 40;
  for (std::size_t i = 0; i < g_messages.size(); ++i) {
    Messages& m = g_messages[(hash + i) % g_messages.size()];
    std::uint64_t there = m.key.load(std::memory_order_acquire);
    if (there == 0 && m.key.compare_exchange_strong(there, key)) there = key;
    if (there == key) return m.count.fetch_add(1, std::memory_order_relaxed);
  }
  return 0;
}

}  // namespace mfushim::shim
