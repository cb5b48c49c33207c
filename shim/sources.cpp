// Numbers the sources of calls; see sources.hpp.
#include "sources.hpp"

#include <algorithm>
#include <cstring>

#include "recorder.hpp"
#include "ring.hpp"

namespace mfushim::shim {

namespace {

using format::Api;
using format::RingSource;

constinit std::array<RingSource, format::kRingSources> g_sources{};
constinit std::atomic<std::uint32_t> g_used{1};
// The newest source of each entry point, and the one before each source; 0: no more.
constinit std::array<std::atomic<std::uint32_t>, static_cast<std::size_t>(Api::kCount)> g_newest{};
constinit std::array<std::uint32_t, format::kRingSources> g_before{};

void describe(RingSource& source, Door door, Api api, std::string_view library) noexcept {
  source.api = api;
  source.door = static_cast<std::uint8_t>(door);
  source.library_size = static_cast<std::uint8_t>(library.size());
  if (!library.empty()) std::memcpy(source.library.data(), library.data(), library.size());
  source.ready.store(1, std::memory_order_release);
}

bool is_from(const RingSource& source, Door door, std::string_view library) noexcept {
  return source.door == static_cast<std::uint8_t>(door) && source.library_name() == library;
}

void publish(format::Ring ring, std::uint32_t number) noexcept {
  const RingSource& known = g_sources[number];
  RingSource& there = ring.coverage().sources[number];
  describe(there, static_cast<Door>(known.door), known.api, known.library_name());
}

}  // namespace

std::uint32_t source_number(Door door, Api api, std::string_view library) noexcept {
  library = library.substr(0, sizeof RingSource::library);
  auto& newest = g_newest[static_cast<std::size_t>(api)];
  std::uint32_t first = newest.load(std::memory_order_acquire);
  std::uint32_t mine = 0;
  for (;;) {
    for (std::uint32_t i = first; i != 0; i = g_before[i])
      if (is_from(g_sources[i], door, library)) return i;  // left unused: `mine`, another's race
    if (mine == 0) {
      if (g_used.load(std::memory_order_relaxed) >= format::kRingSources) return 0;
      mine = g_used.fetch_add(1);
      if (mine >= format::kRingSources) return 0;
      describe(g_sources[mine], door, api, library);
    }
    g_before[mine] = first;
    if (newest.compare_exchange_weak(first, mine, std::memory_order_release,
                                     std::memory_order_acquire))
      break;
  }
  if (const format::Ring ring = current_ring()) publish(ring, mine);
  return mine;
}

std::uint64_t launches_so_far(format::Ring ring) noexcept {
  std::uint64_t count = 0;
  for (std::uint32_t i = 1; i < format::kRingSources; ++i) {
    if (g_sources[i].ready.load(std::memory_order_acquire) == 0) continue;
    const format::ApiClass api_class = format::api_row(g_sources[i].api).api_class;
    if (api_class != format::ApiClass::kLaunch && api_class != format::ApiClass::kGraphLaunch)
      continue;
    for (const auto& share : ring.coverage().shares)
      count += share[i].load(std::memory_order_relaxed);
  }
  return count;
}

void publish_sources(format::Ring ring) noexcept {
  for (std::uint32_t i = 1; i < format::kRingSources; ++i)
    if (g_sources[i].ready.load(std::memory_order_acquire) != 0) publish(ring, i);
}

void detail::covered_by_others(std::uint32_t source) noexcept {
  if (const format::Ring ring = current_ring())
    ring.coverage().shares[0][source].fetch_add(1, std::memory_order_relaxed);
}

}  // namespace mfushim::shim
