// How far a report can be trusted, in one sentence.
#pragma once

#include <string>

#include "passes/analysis.hpp"

namespace mfushim::report {

// Whether the device's work was seen at the call that launched it, and what may have been missed.
std::string trust_sentence(const passes::Analysis& a);

}  // namespace mfushim::report
