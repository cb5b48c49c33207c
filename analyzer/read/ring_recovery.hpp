// Brings into the logs what killed processes on this host left in their ring files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mfushim::read {

// One ring file of a process that is gone.
struct RecoveredRing {
  std::string ring;           // path of the ring file
  std::string log;            // of its log
  std::uint64_t records = 0;  // moved into the log
  std::string problem;        // why it could not be moved; the ring file is still there then
};

// All that can be recovered for this user; processes that still run are left alone. Never throws:
// a report does not depend on it.
std::vector<RecoveredRing> recover_rings(const std::string& folder) noexcept;

// In the folder that MFUSHIM_RING_DIR names, else where ring files are made by default.
std::vector<RecoveredRing> recover_rings() noexcept;

}  // namespace mfushim::read
