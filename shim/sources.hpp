// Where calls come from, for the evidence of what was covered: door, calling library, entry point.
//
// A source's number is good for the life of the process; each ring file holds all that are known.
#pragma once

#include <cstdint>
#include <string_view>

#include "mfushim/format/api.hpp"
#include "mfushim/format/ring.hpp"

namespace mfushim::shim {

// In the order of format::kDoorNames.
enum class Door : std::uint8_t { kSymbol, kDlsym, kGetProc };

// Number of a source; equal arguments give an equal one. 0 when all are used up.
std::uint32_t source_number(Door door, format::Api api, std::string_view library) noexcept;

// Calls of launches of kernels and graphs so far.
std::uint64_t launches_so_far(format::Ring ring) noexcept;

// Makes what is known part of a new ring.
void publish_sources(format::Ring ring) noexcept;

}  // namespace mfushim::shim
