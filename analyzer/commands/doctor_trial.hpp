// A program under the recorder for a limited time.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace mfushim::commands {

struct Trial {
  bool was_stopped = false;      // its time was over
  std::optional<int> exit_code;  // absent: a signal ended it
};

// Runs `command` with its stdout on stderr and logs in `folder`. It is a process group: when its
// time is over, or this program is interrupted, all of it is asked to end, and killed seconds
// later.
Trial run_trial(const std::vector<std::string>& command, const std::string& recorder,
                const std::string& folder, double seconds);

}  // namespace mfushim::commands
