// When device work ran: the source of device times, chosen anew for each window of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "config.hpp"

namespace mfushim::shim {

// Starts what `config` asks for; records in the log say which source there is, or why none, and
// each change.
void start_gpu_time(const Config& config) noexcept;

// Brings in what CUPTI still holds. Before the driver's own end.
void stop_gpu_time() noexcept;

// The program is about to use CUPTI: it gets it, as if there were no recorder. `to` calls it.
void yield_gpu_time(std::string_view to) noexcept;
// What the program wanted of CUPTI is done; device times may be taken again if it let go of it.
void return_gpu_time() noexcept;

// Windows that are asked for in steps open and close by what the job does: one more of its
// collectives or graph launches, with equal numbers for what is alike.
namespace detail {
extern constinit std::atomic<bool> g_steps_wanted;
}
inline bool are_steps_wanted() noexcept {
  return detail::g_steps_wanted.load(std::memory_order_relaxed);
}
void mark_collective(std::uint32_t shape) noexcept;
void mark_graph_launch(std::uint32_t graph) noexcept;

// In a forked child: forgets the parent's.
void forget_gpu_time() noexcept;

}  // namespace mfushim::shim
