// Where device times are whole. What was launched before they were taken is not in the log and may
// run for a while after; what runs when they end may not be either.
#pragma once

#include "model/run.hpp"

namespace mfushim::model {

// Fills in the windows of each device, and which work begins in one. A window goes from where
// every stream that was used at its beginning (in its first tenth) runs recorded work, to its end.
// Where device times were taken from the first launch to the last, it holds all there is.
void find_device_windows(Process& process);

}  // namespace mfushim::model
