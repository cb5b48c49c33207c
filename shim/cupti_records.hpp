// From CUPTI's activity records to the log's device records.
#pragma once

#include <cstdint>

namespace mfushim::shim::cupti {

// Records the device work that one activity record tells of; one with impossible times is counted
// as lost instead. Other kinds are ignored.
void record_activity(const std::uint8_t* activity) noexcept;

}  // namespace mfushim::shim::cupti
