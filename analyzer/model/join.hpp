// Joins the parts of one log: names to kernels, calls to calls, device work to calls.
#pragma once

#include "model/run.hpp"

namespace mfushim::model {

// Expects HostCall::parent to be the distance in sequence numbers that the log has, and leaves it
// as an index. `rules` may be null.
void join(Process& process, const knowledge::UserRules* rules);

}  // namespace mfushim::model
