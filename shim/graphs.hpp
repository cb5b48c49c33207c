// CUDA graphs as numbers that say what they contain. A number never changes its meaning: a graph
// that changes gets another one, and a record says what that is made of (format::Graph). So a
// launch of an executable graph need only tell its number.
#pragma once

#include <cstdint>

#include "frame.hpp"

namespace mfushim::shim {

std::uint32_t new_graph_number() noexcept;

// What happened to graphs (CUgraph, CUgraphExec), for after the calls that succeeded.
void graph_made(const void* graph) noexcept;  // empty
void graph_used(const void* graph) noexcept;  // by a capture that adds to it
void graph_captured(const void* graph, std::uint32_t capture) noexcept;
void graph_cloned(const void* copy, const void* original) noexcept;
void child_added(const void* graph, const void* child) noexcept;
void graph_instantiated(const void* executable, const void* graph) noexcept;  // or updated
// From now on it may do something else than the recorder knows; `why`: bits of Graph::flags.
void graph_in_doubt(const void* graph, std::uint32_t why) noexcept;
// For before it is destroyed: the handle may be given out again.
void graph_destroyed(const void* graph) noexcept;

// Work is added to a graph by a library: the number of it.
std::uint32_t work_added(const void* graph) noexcept;

// Of an executable graph now. 0 when there is no room left.
std::uint32_t graph_number(const void* executable) noexcept;

// Fills in the number that the calling thread's last call made, once: subject; `number` is its
// base, `group` what was added, `bytes` its flags.
void describe_graph(Details& details) noexcept;

}  // namespace mfushim::shim
