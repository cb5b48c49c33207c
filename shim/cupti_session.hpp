// CUPTI tells when each kernel, copy and set ran, and in the launching thread which correlation id
// it will have, while a session is open. One at a time, opened and closed by one thread at a time.
#pragma once

#include <cstdint>

#include "mfushim/format/records.hpp"

namespace mfushim::shim::cupti {

// Finds CUPTI and subscribes; false where that cannot be had.
bool open_session() noexcept;
// Why the last session could not be opened.
const char* why_no_session() noexcept;

// For the log: that what is launched from now on has times, and CUPTI's clock.
format::GpuTime begin_times() noexcept;

// Lets go of CUPTI, once its records of what runs have come, for others and for a later session.
void close_session() noexcept;
// Likewise at once, for others who want it now: what runs has no end in its record, and is lost.
void yield_session() noexcept;
// Likewise at the process's end, where records of what still runs come without an end.
void end_session() noexcept;
// Brings in what CUPTI still holds of sessions that are closed, while nobody else uses it.
void collect_late_records() noexcept;

}  // namespace mfushim::shim::cupti
