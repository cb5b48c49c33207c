// NCCL communicators by handle: identity, size, and the numbering of what runs on them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mfushim::shim {

// FNV-1a, 64 bits.
constexpr std::uint64_t kFnvBasis = 0xcbf29ce484222325u;
constexpr std::uint64_t fnv1a(const char* bytes, std::size_t count,
                              std::uint64_t hash = kFnvBasis) {
  for (std::size_t i = 0; i < count; ++i)
    hash = (hash ^ static_cast<unsigned char>(bytes[i])) * 0x100000001b3u;
  return hash;
}

struct CommunicatorState {
  std::atomic<const void*> handle;  // null: free
  std::uint64_t hash;               // equal on all ranks; 0: not known
  std::uint64_t parent;             // hash of the one it was split from; 0: none, or not known
  std::atomic<std::int32_t> rank;   // -1: not known yet
  std::atomic<std::int32_t> size;
  std::atomic<std::uint32_t> collectives;
  std::atomic<std::uint32_t> splits;
  std::atomic<std::uint64_t> id;  // generation, and id in the log
};

// Null when there is no room. A handle that is there already begins a new life.
CommunicatorState* communicator_made(const void* handle, std::uint64_t hash, std::uint64_t parent,
                                     std::int32_t rank, std::int32_t size) noexcept;
// To be called before NCCL frees it.
void communicator_ended(const void* handle) noexcept;
CommunicatorState* find_communicator(const void* handle) noexcept;

// The hash of a communicator split from another, equal on all its ranks: FNV-1a goes on from the
// parent's hash over the number of the split (from 1) and its colour, as 64-bit integers.
std::uint64_t split_hash(std::uint64_t parent, std::uint64_t number, std::int64_t color) noexcept;

// The id in the log.
std::uint32_t communicator_id(CommunicatorState& communicator) noexcept;

// The number of a message between two ranks, per communicator, peer and direction, from 0.
std::uint32_t next_message(const CommunicatorState& communicator, bool sends,
                           std::int32_t peer) noexcept;

}  // namespace mfushim::shim
