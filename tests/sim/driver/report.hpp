// Tells the truth file and the tracer (the CUPTI double) what the device did.
#pragma once
#include "mfusim/tracing.h"
#include "timeline.hpp"

namespace mfusim {

// A resolved piece of work; what only orders other work is not reported.
void report_work(const Work& work);
// A call that launches one kernel, before the kernel is known to start.
void report_launch();
void report_graph_launch(uint32_t exec, uint64_t nodes);
// A call that blocked the host until the device was done.
void report_sync(const MfusimSync& sync);

}  // namespace mfusim
