// Reads one log into a Process and joins it: device work to the calls that launched it, calls to
// the calls around them.
#pragma once

#include <memory>
#include <string>

#include "model/run.hpp"

namespace mfushim::model {

std::unique_ptr<Process> load_process(const std::string& path, const knowledge::UserRules* rules);

}  // namespace mfushim::model
