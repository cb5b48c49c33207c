// Makes and finds links; see links.hpp.
#include "links.hpp"

#include <cstddef>

#include "keep_errno.hpp"

namespace mfushim::shim {
namespace {

using format::Api;

constexpr std::size_t kMaxLinks = 16384;
constexpr std::size_t kSlots = 2 * kMaxLinks;

// Links are never removed: a module that is unloaded leaves its own behind.
constinit Link g_links[kMaxLinks]{};
constinit std::atomic<std::size_t> g_count{0};
// Index + 1 of the links of exported symbols, by entry point and module.
constinit std::atomic<std::uint32_t> g_slots[kSlots]{};
// Where all are used up.
MFUSHIM_THREAD_LOCAL Link t_link{};

std::size_t first_slot(Api api, std::uint16_t module) {
  return (static_cast<std::size_t>(api) * 0x9e37u + module * 0x85ebu) % kSlots;
}

const Link* known_link(Api api, std::uint16_t module) {
  for (std::size_t s = first_slot(api, module);; s = (s + 1) % kSlots) {
    const std::uint32_t index = g_slots[s].load(std::memory_order_acquire);
    if (index == 0) return nullptr;
    const Link& link = g_links[index - 1];
    if (link.api == api && link.module == module) return &link;
  }
}

// The index of the new link, kMaxLinks where there is no room.
std::size_t add(const Link& link) {
  std::size_t count = g_count.load(std::memory_order_relaxed);
  do {
    if (count >= kMaxLinks) return kMaxLinks;
  } while (!g_count.compare_exchange_weak(count, count + 1));
  g_links[count] = link;
  return count;
}

const Link& keep(Entry& entry, const Link& link) {
  const std::size_t index = add(link);
  if (index == kMaxLinks) return t_link = link;
  if (entry.real == nullptr)
    for (std::size_t s = first_slot(link.api, link.module);; s = (s + 1) % kSlots) {
      std::uint32_t expected = 0;
      if (g_slots[s].compare_exchange_strong(expected, static_cast<std::uint32_t>(index + 1)))
        break;
    }
  entry.link.store(&g_links[index], std::memory_order_release);
  return g_links[index];
}

}  // namespace

const Link& find_link(Entry& entry, Api api, const void* caller) noexcept {
  const KeepErrno keep_errno;
  const bool exported = entry.real == nullptr;
  const std::uint16_t module = exported ? caller_number(caller) : entry.asker;
  if (exported)
    if (const Link* const known = known_link(api, module)) {
      entry.link.store(known, std::memory_order_release);
      return *known;
    }
  Link link{{0, ~std::uintptr_t{0}}, entry.real, nullptr, 0, module, api, false};
  if (exported) {
    link.real = linked_function(api, caller, link.provider);
    link.code = caller_code(module);
    if (link.real == nullptr) return t_link = link;
  }
  link.source = source_number(entry.door, api, caller_name(module));
  link.leaf = format::api_row(api).library == format::Library::kDriver &&
              is_excluded(link.real, format::Library::kDriver);
  return keep(entry, link);
}

}  // namespace mfushim::shim
