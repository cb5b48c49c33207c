// The writer thread: moves finished records from the ring into the log, and all there is to do now
// and then beside it.
#pragma once

#include <cstdint>

#include "log.hpp"
#include "mfushim/format/ring.hpp"
#include "ring.hpp"

namespace mfushim::shim {

// A segment is written this often at least when there are records, and when the ring fills up.
inline constexpr std::uint64_t kSegmentNs = 5'000'000'000;
inline constexpr std::uint64_t kWakeNs = 100'000'000;
inline constexpr std::uint64_t kAnchorNs = 1'000'000'000;
inline constexpr std::uint64_t kSummaryNs = 30'000'000'000;
inline constexpr std::size_t kFullSegment = 24576;  // records pending that are worth a segment

// Starts the thread; false when it cannot be had. `max_bytes` 0: no limit.
// `memory` and `log` must stay where they are.
bool start_writer(const RingMemory& memory, LogFile& log, std::uint64_t max_bytes,
                  bool verbose) noexcept;

// Lets it write everything, with the orderly last segment, and ends it. False when not all could be
// written or the thread did not end in time.
bool stop_writer() noexcept;

// In a forked child: forgets the parent's.
void forget_writer() noexcept;

// Asks it to drain now; from any thread.
void wake_writer(format::RingHeader& header) noexcept;

// Adds an anchor; only before the writer starts, and by the writer.
void add_anchor(format::RingHeader& header) noexcept;

}  // namespace mfushim::shim
