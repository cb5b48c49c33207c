// A run reduced to a part of its time, as if nothing else had been recorded.
#pragma once

#include <cstdint>
#include <vector>

#include "model/run.hpp"

namespace mfushim::model {

// Host time of one process: its calls that start in [start, end) stay.
struct Window {
  std::int64_t start = 0;
  std::int64_t end = 0;
};

// Keeps the calls of each process's window, captured ones with what replays in it need of them, the
// device work that they launched, and device work of no known launch that starts between those.
// `windows` are as Run::processes. What the logs say about themselves (coverage, costs, losses)
// stays that of the whole run.
void narrow(Run& run, const std::vector<Window>& windows);

// Whether all of its work was recorded with its times.
bool is_timed_throughout(const Run& run);

// A copy that has the calls alone whose device work begins where all of it was recorded
// (DeviceWork::in_window), captured ones as above, and that work.
Run timed_part(const Run& run);

}  // namespace mfushim::model
