// The line of the text report about steps.
#pragma once

#include <string>

#include "passes/steps.hpp"

namespace mfushim::report {

void print_steps(std::string& out, const passes::StepResult& steps);

}  // namespace mfushim::report
