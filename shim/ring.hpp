// The ring memory of this process: made at its start, left to the writer and to recovery.
#pragma once

#include <cstddef>

#include "mfushim/format/ring.hpp"

namespace mfushim::shim {

inline constexpr std::size_t kRingBytes = std::size_t{16} << 20;

struct RingMemory {
  format::Ring ring;
  std::size_t bytes = 0;
  int fd = -1;                                  // -1: anonymous memory, which a kill takes along
  char folder[format::RingHeader::kPath] = {};  // where this and other ring files are
  char path[format::RingHeader::kPath] = {};    // of the ring file
};

// Makes the ring file in `folder`, fully allocated and locked by this process; where there is no
// room for one, anonymous memory. `ring` is empty when even that fails. The header's magic is not
// set yet.
void make_ring(RingMemory& memory, const char* folder) noexcept;

// Unmaps; the file itself stays.
void drop_ring(RingMemory& memory) noexcept;

// The ring that threads claim chunks of; set before recording() becomes true.
void use_ring(format::Ring ring) noexcept;
format::Ring current_ring() noexcept;

bool thread_alive(std::uint32_t tid) noexcept;

// Gives back the chunks of threads that have ended and whose records are all in the log.
template <class Release>
void reap_dead_threads(format::Ring ring, Release&& release) noexcept {
  for (format::RingChunk& chunk : ring.chunks()) {
    if (chunk.state.load(std::memory_order_acquire) != format::ChunkState::kOwned) continue;
    if (chunk.drained.load() == chunk.count.load(std::memory_order_acquire) &&
        !thread_alive(chunk.tid))
      release(chunk);
  }
}

}  // namespace mfushim::shim
