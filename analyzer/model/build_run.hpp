// From files and directories to runs: which logs belong together, and who is which rank.
#pragma once

#include <string>
#include <vector>

#include "model/run.hpp"

namespace mfushim::model {

// The logs that `paths` name: files as they are, of directories all *.mfl in them. Throws
// FormatError when there is none.
std::vector<std::string> find_logs(const std::vector<std::string>& paths);

// Reads the logs and sorts them into runs, oldest first. `rules` of the user, where there are any,
// tell what kernels are.
std::vector<Run> build_runs(const std::vector<std::string>& logs,
                            const knowledge::UserRules* rules = nullptr);

}  // namespace mfushim::model
