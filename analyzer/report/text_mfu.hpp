// The first answer of the text report: MFU, and what is in it.
#pragma once

#include <string>

#include "passes/analysis.hpp"

namespace mfushim::report {

void print_mfu(std::string& out, const passes::Analysis& analysis);

}  // namespace mfushim::report
