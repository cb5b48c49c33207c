// The report for people: answers first, evidence last.
#pragma once

#include <string>

#include "passes/analysis.hpp"

namespace mfushim::report {

std::string text_report(const passes::Analysis& analysis);

}  // namespace mfushim::report
