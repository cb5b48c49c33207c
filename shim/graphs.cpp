// The table from executable graph to number; see graphs.hpp.
#include "graphs.hpp"

#include <array>
#include <atomic>

#include "recorder.hpp"

namespace mfushim::shim {
namespace {

// A handle keeps its place when it is destroyed, and gets a new number when it is given out again.
struct Graph {
  std::atomic<const void*> handle;
  std::atomic<std::uint32_t> number;
};

constinit std::array<Graph, 8192> g_graphs{};
constinit std::atomic<std::uint32_t> g_numbers{0};

// Null when the handle has no place and shall get none, or there is no room.
Graph* place_of(const void* handle, bool add) noexcept {
  const auto hash = reinterpret_cast<std::uintptr_t>(handle) * 0x9e3779b97f4a7c15u >> 32;
  for (std::size_t i = 0; i < g_graphs.size(); ++i) {
    Graph& g = g_graphs[(hash + i) % g_graphs.size()];
    const void* there = g.handle.load(std::memory_order_acquire);
    if (there == handle) return &g;
    if (there != nullptr) continue;
    if (!add) return nullptr;
    if (g.handle.compare_exchange_strong(there, handle) || there == handle) return &g;
  }
  return nullptr;
}

}  // namespace

std::uint32_t graph_number(const void* executable) noexcept {
  Graph* const g = place_of(executable, true);
  if (g == nullptr) {
    loss(format::LossCause::kDefinitionsFull, 1, "executable graphs");
    return 0;
  }
  std::uint32_t number = g->number.load(std::memory_order_relaxed);
  if (number != 0) return number;
  const std::uint32_t next = g_numbers.fetch_add(1, std::memory_order_relaxed) + 1;
  return g->number.compare_exchange_strong(number, next) ? next : number;
}

void graph_destroyed(const void* executable) noexcept {
  if (Graph* const g = place_of(executable, false)) g->number.store(0, std::memory_order_relaxed);
}

}  // namespace mfushim::shim
