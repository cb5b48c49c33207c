// What hooks may ask of the recording engine. Everything here is safe in any thread at any time,
// allocates nothing, never blocks on I/O, never throws, and keeps errno.
#pragma once

#include <cstdint>
#include <string_view>

#include "mfushim/format/api.hpp"
#include "mfushim/format/records.hpp"

namespace mfushim::shim {

// False until the process first does device work, when disabled, in a forked child until its own
// first work, and after the end of the process began: hooks then only call through.
bool recording() noexcept;

// Called before the first launch, copy or collective of the process: makes ring file, log and
// writer thread. Idempotent and cheap when already started; after it recording() is true unless
// disabled or failed. `arm` is called on the first cuInit (registers the exit handler, starts
// nothing).
void start() noexcept;
void arm() noexcept;

// Host clock, in ticks of the log.
std::uint64_t now() noexcept;

// State of the calling thread, for nesting. `sequence` counts recorded calls at their entry.
struct ThreadState {
  std::uint64_t sequence = 0;
  std::uint64_t enclosing = 0;    // sequence of the recorded call around, 0 at top level
  std::uint32_t depth = 0;        // nesting of intercepted calls
  std::uint32_t correlation = 0;  // of the launch in progress, as CUPTI's callback told; 0: none
};
ThreadState& thread_state() noexcept;

// Appends to the calling thread's ring; when it is full the record is dropped and counted.
template <class Record>
void emit(const Record& record) noexcept;
// Appends a device record to the ring of the calling (CUPTI's) thread.
template <class Record>
void emit_device(std::uint32_t queue, const Record& record) noexcept;

// Ids of definitions; equal arguments give equal ids. 0 when there is no room left (counted).
// The `id` member of the argument is ignored.
std::uint32_t intern(std::string_view name) noexcept;
std::uint32_t intern(format::LaunchConfig config) noexcept;
std::uint32_t intern(format::GemmShape shape) noexcept;
std::uint32_t intern(format::CollectiveShape shape) noexcept;
std::uint32_t intern(format::Stream stream) noexcept;
std::uint32_t intern(format::Queue queue) noexcept;
std::uint32_t intern(format::Communicator communicator) noexcept;
// The name id of an intercepted entry point (one atomic load after its first use).
std::uint32_t api_name(format::Api api) noexcept;

// Rare things: written through, may take a lock.
void fact(std::string_view key, std::string_view value) noexcept;
void device(const format::Device& device) noexcept;
void module(const format::Module& module) noexcept;
void loss(format::LossCause cause, std::uint64_t count, std::string_view detail) noexcept;
// One more call of `api` that came by `door` from `library` (texts of static life).
enum class Door : std::uint8_t { kSymbol, kDlsym, kGetProc };
void covered(Door door, format::Api api) noexcept;

}  // namespace mfushim::shim
