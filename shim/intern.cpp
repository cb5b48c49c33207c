// The table from a definition's content to its id: open addressing, entries set by one
// compare-and-swap and never changed, so that a look-up is loads alone.
#include "intern.hpp"

#include <sys/mman.h>

#include <atomic>
#include <bit>
#include <cstring>

#include "recorder.hpp"
#include "ring.hpp"

namespace mfushim::shim {

namespace detail {
constinit std::array<std::atomic<std::uint32_t>, format::kApis.size()> g_api_names = {};
}

namespace {

// An entry is the upper half of the content's hash and, below, the definition's index + 1.
struct Table {
  std::atomic<std::uint64_t>* entries = nullptr;
  std::size_t size = 0;  // power of two, at least twice the number of definitions
};
constinit Table g_table;

std::uint64_t hash_of(format::Kind kind, std::span<const std::uint8_t> bytes) noexcept {
  std::uint64_t h = 0x9e3779b97f4a7c15ULL * (static_cast<std::uint64_t>(kind) + bytes.size());
  const auto mix = [&h](std::uint64_t v) {
    h = (h ^ v) * 0xff51afd7ed558ccdULL;
    h ^= h >> 32;
  };
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t v;
    std::memcpy(&v, bytes.data() + i, 8);
    mix(v);
  }
  std::uint64_t rest = 0;
  for (; i < bytes.size(); ++i) rest = rest << 8 | bytes[i];
  mix(rest);
  return h;
}

// The new definition's index + 1, or 0 when no more than `reserve` slots are free.
std::uint32_t add_definition(format::Ring ring, format::Kind kind,
                             std::span<const std::uint8_t> bytes, std::size_t reserve) noexcept {
  format::RingHeader& h = ring.header();
  const auto slots = ring.definitions();
  const auto heap = ring.heap();
  // Looked at before adding, so that the counters of a full area cannot wrap around.
  if (bytes.empty() || h.definitions.load() + reserve >= slots.size() ||
      h.heap_used.load() + bytes.size() > heap.size())
    return 0;
  const std::uint32_t offset = h.heap_used.fetch_add(static_cast<std::uint32_t>(bytes.size()));
  if (offset + bytes.size() > heap.size()) return 0;
  const std::uint32_t index = h.definitions.fetch_add(1);
  if (index >= slots.size()) return 0;
  std::memcpy(heap.data() + offset, bytes.data(), bytes.size());
  format::RingDefinition& slot = slots[index];
  slot.id = h.last_id[static_cast<std::size_t>(kind) % h.last_id.size()].fetch_add(1) + 1;
  slot.offset = offset;
  slot.size = static_cast<std::uint32_t>(bytes.size());
  slot.kind.store(static_cast<std::uint32_t>(kind), std::memory_order_release);
  return index + 1;
}

bool same(format::Ring ring, const format::RingDefinition& slot, format::Kind kind,
          std::span<const std::uint8_t> bytes) noexcept {
  return slot.kind.load(std::memory_order_acquire) == static_cast<std::uint32_t>(kind) &&
         slot.size == bytes.size() &&
         std::memcmp(ring.heap().data() + slot.offset, bytes.data(), bytes.size()) == 0;
}

}  // namespace

bool use_intern_table(format::Ring ring) noexcept {
  drop_intern_table();
  const std::size_t size = std::bit_ceil(ring.definitions().size() * 2);
  void* const at = mmap(nullptr, size * sizeof(std::uint64_t), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return false;
  g_table = {static_cast<std::atomic<std::uint64_t>*>(at), size};
  return true;
}

void drop_intern_table() noexcept {
  if (g_table.entries != nullptr) munmap(g_table.entries, g_table.size * sizeof(std::uint64_t));
  g_table = {};
  for (auto& name : detail::g_api_names) name.store(0, std::memory_order_relaxed);
}

namespace detail {

std::uint32_t define_bytes(format::Kind kind, std::span<const std::uint8_t> bytes) noexcept {
  const format::Ring ring = current_ring();
  if (!ring) return 0;
  const std::uint32_t made = add_definition(ring, kind, bytes, 0);
  if (made == 0) {
    loss(format::LossCause::kDefinitionsFull, 1, {});
    return 0;
  }
  return ring.definitions()[made - 1].id;
}

// Two threads that meet with new content both define it; the one that comes second to the table
// takes the first one's id, and its own definition is never referred to.
std::uint32_t intern_bytes(format::Kind kind, std::span<const std::uint8_t> bytes,
                           std::size_t reserve) noexcept {
  const format::Ring ring = current_ring();
  if (!ring || g_table.entries == nullptr) return 0;
  const std::uint64_t hash = hash_of(kind, bytes);
  const std::uint64_t tag = hash & ~std::uint64_t{0xffffffff};
  const auto slots = ring.definitions();
  std::uint32_t made = 0;
  for (std::size_t i = hash;; ++i) {
    auto& entry = g_table.entries[i & (g_table.size - 1)];
    std::uint64_t found = entry.load(std::memory_order_acquire);
    if (found == 0) {
      if (made == 0) made = add_definition(ring, kind, bytes, reserve);
      if (made == 0) {
        loss(format::LossCause::kDefinitionsFull, 1, {});
        return 0;
      }
      if (entry.compare_exchange_strong(found, tag | made)) return slots[made - 1].id;
    }
    if ((found & ~std::uint64_t{0xffffffff}) != tag) continue;
    const auto& slot = slots[static_cast<std::uint32_t>(found) - 1];
    if (same(ring, slot, kind, bytes)) return slot.id;
  }
}

}  // namespace detail

std::uint32_t intern(std::string_view name) noexcept {
  // Names as long as this come from templates; the head says which kernel it is.
  return intern_record(format::Name{0, name.substr(0, detail::kMaxDefinition - 16)});
}
// Programs of ever new sizes fill the area with configurations first: the last eighth is kept for
// what says more, and which kernel it was is known to the end.
std::uint32_t intern(format::LaunchConfig config) noexcept {
  const std::uint32_t id = intern_record(config, current_ring().plan().definition_slots / 8);
  if (id != 0) return id;
  format::LaunchConfig kernel_alone;
  kernel_alone.kernel = config.kernel;
  return intern_record(kernel_alone);
}
std::uint32_t intern(format::GemmShape shape) noexcept {
  return intern_record(shape);
}
std::uint32_t intern(format::CollectiveShape shape) noexcept {
  return intern_record(shape);
}
std::uint32_t intern(format::OperationShape shape) noexcept {
  return intern_record(shape);
}
std::uint32_t intern(format::Stream stream) noexcept {
  return intern_record(stream);
}
std::uint32_t intern(format::Queue queue) noexcept {
  return intern_record(queue);
}
std::uint32_t intern(format::Communicator communicator) noexcept {
  return intern_record(communicator);
}

std::uint32_t detail::new_api_name(format::Api api) noexcept {
  const std::uint32_t id = intern(format::api_row(api).name);
  g_api_names[static_cast<std::size_t>(api)].store(id, std::memory_order_relaxed);
  return id;
}

void fact(std::string_view key, std::string_view value) noexcept {
  define(format::Fact{key, value.substr(0, detail::kMaxDefinition / 2)});
}
void device(const format::Device& device) noexcept {
  define(device);
}
void module(const format::Module& module) noexcept {
  define(module);
}
void gpu_time(const format::GpuTime& gpu_time) noexcept {
  define(gpu_time);
}

namespace {

bool matches(const format::RingLoss& slot, format::LossCause cause,
             std::string_view detail) noexcept {
  return slot.cause == cause && detail == std::string_view(slot.detail.data(), slot.detail_size);
}

// The counter for this cause and detail; made when new. The last one takes what has no room.
format::RingLoss* loss_counter(format::RingHeader& h, format::LossCause cause,
                               std::string_view detail) noexcept {
  for (format::RingLoss& slot : h.losses) {
    std::uint32_t state = slot.state.load(std::memory_order_acquire);
    if (state == 0 && slot.state.compare_exchange_strong(state, 1)) {
      slot.cause = cause;
      slot.detail_size = static_cast<std::uint8_t>(detail.size());
      if (!detail.empty()) std::memcpy(slot.detail.data(), detail.data(), detail.size());
      slot.state.store(2, std::memory_order_release);
      return &slot;
    }
    if (state == 2 && matches(slot, cause, detail)) return &slot;
  }
  return &h.losses.back();
}

}  // namespace

void loss(format::LossCause cause, std::uint64_t count, std::string_view detail) noexcept {
  const format::Ring ring = current_ring();
  if (!ring) return;
  detail = detail.substr(0, sizeof format::RingLoss::detail);
  loss_counter(ring.header(), cause, detail)->count.fetch_add(count);
}

}  // namespace mfushim::shim
