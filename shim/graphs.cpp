// The table from graph to number; see graphs.hpp.
#include "graphs.hpp"

#include <array>
#include <atomic>

#include "recorder.hpp"

namespace mfushim::shim {
namespace {

// What a graph contains: its number (0: nothing), and the flags that its next number will have. A
// graph that was not seen being made may contain anything.
struct Content {
  std::uint32_t number = 0;
  std::uint32_t flags = format::kGraphUnseen;
  bool is_known = false;
};
constexpr std::uint64_t kGenerations = 0xffffff;

// With the generation in which that was so; 0 for a handle without a graph.
constexpr std::uint64_t to_word(Content c, std::uint64_t generation) {
  return c.number | std::uint64_t{c.flags & 0xff} << 32 | generation << 40;
}

// A handle keeps its place when its graph is destroyed.
struct Place {
  std::atomic<const void*> handle;
  std::atomic<std::uint64_t> content;
};
constinit std::array<Place, 32768> g_places{};
constinit std::atomic<std::uint32_t> g_numbers{0};

struct Change {
  std::uint32_t made, base, added, flags;
};
MFUSHIM_THREAD_LOCAL Change t_change{};

// Null when the handle has no place and shall get none, or there is no room.
Place* place_of(const void* handle, bool add) noexcept {
  const auto hash = reinterpret_cast<std::uintptr_t>(handle) * 0x9e3779b97f4a7c15u >> 32;
  for (std::size_t i = 0; i < g_places.size(); ++i) {
    Place& p = g_places[(hash + i) % g_places.size()];
    const void* there = p.handle.load(std::memory_order_acquire);
    if (there == handle) return &p;
    if (there != nullptr) continue;
    if (!add) return nullptr;
    if (p.handle.compare_exchange_strong(there, handle) || there == handle) return &p;
  }
  if (add) loss(format::LossCause::kDefinitionsFull, 1, "graphs");
  return nullptr;
}

std::uint64_t this_generation() noexcept {
  return (generation() & kGenerations) + 1;
}

// What was made by the process that this one was forked from is not known.
Content content_of(const void* handle) noexcept {
  const Place* const p = place_of(handle, false);
  const std::uint64_t word = p != nullptr ? p->content.load(std::memory_order_acquire) : 0;
  if (word >> 40 != this_generation()) return {};
  return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32 & 0xff), true};
}

void set_content(const void* handle, Content content) noexcept {
  if (handle == nullptr) return;
  if (Place* const p = place_of(handle, true))
    p->content.store(to_word(content, this_generation()), std::memory_order_release);
}

// A number for what contains both, which the record of the call in progress will define.
std::uint32_t sum_of(Content base, std::uint32_t added) noexcept {
  const std::uint32_t made = new_graph_number();
  t_change = {made, base.number, added, base.flags};
  return made;
}

}  // namespace

std::uint32_t new_graph_number() noexcept {
  return g_numbers.fetch_add(1, std::memory_order_relaxed) + 1;
}

void graph_made(const void* graph) noexcept {
  set_content(graph, {0, 0});
}

void graph_used(const void* graph) noexcept {
  set_content(graph, content_of(graph));
}

// A graph that nothing is known of was made by this capture.
void graph_captured(const void* graph, std::uint32_t capture) noexcept {
  Content content = content_of(graph);
  if (!content.is_known) content.flags = 0;
  if (capture == format::kUnknownGraph)
    content.flags |= format::kGraphUnseen;
  else
    content.number = content.number == 0 ? capture : sum_of(content, capture);
  set_content(graph, content);
}

void graph_cloned(const void* copy, const void* original) noexcept {
  set_content(copy, content_of(original));
}

void child_added(const void* graph, const void* child) noexcept {
  Content content = content_of(graph);
  const Content more = content_of(child);
  content.flags |= more.flags;
  if (more.number != 0)
    content.number = content.number == 0 ? more.number : sum_of(content, more.number);
  set_content(graph, content);
}

void graph_instantiated(const void* executable, const void* graph) noexcept {
  const Content content = content_of(graph);
  set_content(executable, {sum_of(content, 0), content.flags});
}

void graph_in_doubt(const void* graph, std::uint32_t why) noexcept {
  Content content = content_of(graph);
  if ((content.flags & why) == why) return;
  content.flags |= why;
  set_content(graph, {sum_of(content, 0), content.flags});
}

void graph_destroyed(const void* graph) noexcept {
  if (Place* const p = place_of(graph, false)) p->content.store(0, std::memory_order_relaxed);
}

std::uint32_t work_added(const void* graph) noexcept {
  const std::uint32_t number = new_graph_number();
  Content content = content_of(graph);
  if (content.number == 0)
    content.number = number;
  else
    content.flags |= format::kGraphUnseen;
  set_content(graph, content);
  return number;
}

std::uint32_t graph_number(const void* executable) noexcept {
  const std::uint32_t known = content_of(executable).number;
  if (known != 0) return known;
  Place* const p = place_of(executable, true);
  if (p == nullptr) return 0;
  const std::uint32_t number = new_graph_number();
  p->content.store(to_word({number, format::kGraphUnseen}, this_generation()),
                   std::memory_order_release);
  return number;
}

void describe_graph(Details& d) noexcept {
  if (t_change.made == 0) return;
  d.subject = t_change.made;
  d.number = t_change.base;
  d.group = t_change.added;
  d.bytes = t_change.flags;
  t_change = {};
}

}  // namespace mfushim::shim
