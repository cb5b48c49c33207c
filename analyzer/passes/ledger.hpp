// The time ledger of a device: compute + exposed communication + exposed copies + idle = total, to
// the nanosecond.
#pragma once

#include <cstdint>

#include "model/run.hpp"
#include "passes/intervals.hpp"
#include "passes/view.hpp"

namespace mfushim::passes {

// Nanoseconds. compute, comm and copy are lengths of unions and overlap each other.
struct Ledger {
  std::uint64_t records = 0;
  std::int64_t total = 0;  // first start to last end of each window of device times
  std::int64_t busy = 0;
  std::int64_t idle = 0;
  std::int64_t compute = 0;
  std::int64_t comm = 0;
  std::int64_t copy = 0;
  std::int64_t overlap = 0;  // communication beside compute
  std::int64_t exposed_comm = 0;
  std::int64_t exposed_copy = 0;  // beside neither compute nor communication

  Ledger& operator+=(const Ledger& other);
};

// The work of a device as unions.
struct Activity {
  Union all;
  Union compute;
  Union comm;
  Union copy;
  Union spans;  // first start to last end of each window of device times
  std::uint64_t records = 0;
};

// `rank.work` is not null.
Activity find_activity(const model::Rank& rank, View view);
Ledger make_ledger(const Activity& activity);

// Throws std::logic_error when the parts do not add up: busy and the parts are found on different
// ways, so that a fault in either shows. Called on every ledger, in release builds too.
void check(const Ledger& ledger);

}  // namespace mfushim::passes
