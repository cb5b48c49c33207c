// Puts the device clocks of ranks on one time line: hosts agree within their clocks' errors, and
// what is left shows in the ends of collectives, which all ranks reach together.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "passes/collective_calls.hpp"

namespace mfushim::passes {

// The calls of all ranks that are one collective, by index; only where all ranks' are there.
using CompleteCollectives = std::vector<std::vector<std::size_t>>;

CompleteCollectives complete_collectives(const std::vector<CollectiveCall>& calls);

class RankClocks {
 public:
  // Processes on another host than the first are moved so that half of their collectives end later,
  // half earlier than on the first host.
  RankClocks(const std::vector<CollectiveCall>& calls, const CompleteCollectives& complete);

  // Added to a device stamp of that process.
  std::int64_t offset(const model::Process* process) const;
  // The largest difference between the ends of one collective that is left.
  std::int64_t residual_ns() const { return residual_ns_; }

 private:
  std::map<const model::Process*, std::int64_t> corrections_;
  std::int64_t residual_ns_ = 0;
};

}  // namespace mfushim::passes
