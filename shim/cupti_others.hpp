// Who else uses CUPTI in this process: it has one set of everything, and the program comes first.
// What others set, this remembers, so that it can be put back after a session of ours.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mfushim::shim::cupti {

// As CUPTI declares them; this file does without its headers.
using BufferWanted = void (*)(std::uint8_t** buffer, std::size_t* bytes, std::size_t* records);
using BufferFull = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer,
                            std::size_t bytes, std::size_t valid);
using Timestamp = std::uint64_t (*)();

struct Callbacks {
  BufferWanted wanted = nullptr;
  BufferFull full = nullptr;
  Timestamp timestamp = nullptr;
};

// What others last registered; null where nothing was.
Callbacks others_callbacks() noexcept;
void others_registered(BufferWanted wanted, BufferFull full) noexcept;
void others_registered(Timestamp timestamp) noexcept;

// What others hold: subscriptions, and kinds of activity (below 64) that they enabled.
void others_subscribed() noexcept;
void others_unsubscribed() noexcept;
void others_enabled(std::uint32_t kind, bool on) noexcept;
// All of it is gone: cuptiFinalize, or a fork.
void others_gone() noexcept;

bool is_held_by_others() noexcept;

}  // namespace mfushim::shim::cupti
