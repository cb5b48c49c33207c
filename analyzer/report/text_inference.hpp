// The parts of the text report that follow from what was computed alone.
#pragma once

#include <string>

#include "passes/analysis.hpp"

namespace mfushim::report {

void print_inference(std::string& out, const passes::Inference& inference);
void print_repeats(std::string& out, const passes::Repeats& repeats);
void print_waterfall(std::string& out, const passes::Waterfall& waterfall);

}  // namespace mfushim::report
