// What hooks must know of streams: their ids in the log, and whether they are being captured.
#pragma once

#include <cstdint>

#include "frame.hpp"

namespace mfushim::shim {

// The work of a call goes into this stream: fills in its id, and whether it is being captured.
// `handle` is a CUstream or cudaStream_t. What is known already stays.
void set_stream(Details& details, const void* handle) noexcept;

// The calling thread's current context may be another one now.
void forget_context() noexcept;

// Handles of streams may be given to new ones.
void forget_streams() noexcept;

// Captures in progress in the process; too high a count costs a question per launch, no more.
void capture_began() noexcept;
void capture_ended() noexcept;

}  // namespace mfushim::shim
