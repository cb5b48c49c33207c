// Keeps device records that cannot be true away from every figure: one corrupt end may outweigh all
// the rest of a log.
#pragma once

#include "model/run.hpp"

namespace mfushim::model {

// Takes out, and counts by cause, records of a joined process that start before their launch, last
// over other launches' work of their stream, or end after the log does. Where most start before
// their launch the clocks are to blame, and they stay: Process::early_records.
void quarantine(Process& process);

}  // namespace mfushim::model
