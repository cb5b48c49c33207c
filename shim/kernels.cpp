// The table from kernel handle to name, and the cache of launch configurations; see kernels.hpp.
#include "kernels.hpp"

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstring>

#include "recorder.hpp"

namespace mfushim::shim {
namespace {

// A handle and its name. Entries are never removed, only made void, so readers need no lock.
struct Kernel {
  std::atomic<const void*> handle;
  std::atomic<const void*> owner;
  std::atomic<const char*> name;
  std::atomic<std::uint64_t> name_id;  // generation and id, once it was launched
};

constexpr std::uint32_t kMaxKernels = 1u << 17;
constexpr std::uint32_t kHashSlots = kMaxKernels * 2;
constexpr std::size_t kNameBytes = std::size_t{64} << 20;

// Address space only, until it is used: a process without kernels has none of it.
struct Table {
  std::array<Kernel, kMaxKernels> kernels;
  std::array<std::atomic<std::uint32_t>, kHashSlots> slots;  // index + 1, by handle
  std::atomic<std::uint32_t> count;
  std::atomic<std::size_t> name_bytes;
  std::array<char, kNameBytes> names;
};

constinit std::atomic<Table*> g_table{nullptr};

Table* table() noexcept {
  Table* t = g_table.load(std::memory_order_acquire);
  if (t != nullptr) return t;
  void* const memory = mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  if (g_table.compare_exchange_strong(t, static_cast<Table*>(memory))) return g_table;
  munmap(memory, sizeof(Table));
  return t;
}

std::size_t slot_of(const void* handle) noexcept {
  return (reinterpret_cast<std::uintptr_t>(handle) * 0x9e3779b97f4a7c15u >> 32) % kHashSlots;
}

Kernel* find(const void* handle) noexcept {
  Table* const t = g_table.load(std::memory_order_acquire);
  if (t == nullptr || handle == nullptr) return nullptr;
  for (std::size_t s = slot_of(handle);; s = (s + 1) % kHashSlots) {
    const std::uint32_t index = t->slots[s].load(std::memory_order_acquire);
    if (index == 0) return nullptr;
    Kernel& k = t->kernels[index - 1];
    if (k.handle.load(std::memory_order_acquire) == handle) return &k;
  }
}

const char* keep_name(Table& t, std::string_view name) noexcept {
  const std::size_t at = t.name_bytes.fetch_add(name.size() + 1, std::memory_order_relaxed);
  if (at + name.size() + 1 > kNameBytes) return nullptr;
  std::memcpy(&t.names[at], name.data(), name.size());
  return &t.names[at];  // the rest is zero
}

void add(const void* handle, const void* owner, const char* name) noexcept {
  Table* const t = table();
  if (t == nullptr || name == nullptr) return;
  const std::uint32_t index = t->count.fetch_add(1, std::memory_order_relaxed);
  if (index >= kMaxKernels) {
    t->count.store(kMaxKernels, std::memory_order_relaxed);
    return loss(format::LossCause::kDefinitionsFull, 1, "kernel handles");
  }
  Kernel& k = t->kernels[index];
  k.owner.store(owner, std::memory_order_relaxed);
  k.name.store(name, std::memory_order_relaxed);
  k.handle.store(handle, std::memory_order_relaxed);
  for (std::size_t s = slot_of(handle);; s = (s + 1) % kHashSlots) {
    std::uint32_t expected = 0;
    if (t->slots[s].compare_exchange_strong(expected, index + 1, std::memory_order_release)) return;
  }
}

std::uint32_t name_id(const void* handle) noexcept {
  Kernel* const k = find(handle);
  if (k == nullptr) return 0;
  std::uint64_t value = k->name_id.load(std::memory_order_relaxed);
  if (value >> 32 != generation()) {
    value = std::uint64_t{generation()} << 32 | intern(std::string_view(k->name.load()));
    k->name_id.store(value, std::memory_order_relaxed);
  }
  return static_cast<std::uint32_t>(value);
}

std::uint32_t low(std::uint64_t word) noexcept {
  return static_cast<std::uint32_t>(word);
}
std::uint32_t high(std::uint64_t word) noexcept {
  return static_cast<std::uint32_t>(word >> 32);
}

}  // namespace

void kernel_made(const void* handle, const void* owner, std::string_view name) noexcept {
  if (handle == nullptr) return;
  if (const Kernel* const known = find(handle)) {
    const char* const had = known->name.load(std::memory_order_relaxed);
    if (known->owner.load(std::memory_order_relaxed) == owner && name == had) return;
    kernels_unloaded(known->owner.load(std::memory_order_relaxed));  // unseen, so it seems
  }
  if (Table* const t = table()) add(handle, owner, keep_name(*t, name));
}

void kernel_alias(const void* handle, const void* known) noexcept {
  const Kernel* const k = find(known);
  if (k == nullptr || handle == nullptr || find(handle) != nullptr) return;
  add(handle, k->owner.load(std::memory_order_relaxed), k->name.load(std::memory_order_relaxed));
}

void kernels_unloaded(const void* owner) noexcept {
  Table* const t = g_table.load(std::memory_order_acquire);
  if (t == nullptr) return;
  const std::uint32_t count = t->count.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < count && i < kMaxKernels; ++i)
    if (t->kernels[i].owner.load(std::memory_order_relaxed) == owner)
      t->kernels[i].handle.store(nullptr, std::memory_order_release);
  detail::g_launches.clear();
}

constinit LaunchMemo detail::g_launches{};

std::uint32_t detail::new_launch_config(const LaunchWords& words) noexcept {
  const auto [function, grid_xy, grid_z_block_x, block_yz, rest] = words;
  format::LaunchConfig c;
  c.kernel = name_id(reinterpret_cast<const void*>(function));
  c.grid_x = low(grid_xy), c.grid_y = high(grid_xy), c.grid_z = low(grid_z_block_x);
  c.block_x = high(grid_z_block_x), c.block_y = low(block_yz), c.block_z = high(block_yz);
  c.shared_dynamic = low(rest);
  c.cluster_x = rest >> 32 & 0xff, c.cluster_y = rest >> 40 & 0xff;
  c.cluster_z = rest >> 48 & 0xff;
  c.flags = high(rest) >> 24;
  return intern(c);
}

}  // namespace mfushim::shim
