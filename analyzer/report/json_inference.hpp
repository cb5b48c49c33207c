// The sections of mfushim.report/1 that follow from what was computed alone.
#pragma once

#include "passes/analysis.hpp"
#include "report/json_values.hpp"

namespace mfushim::report {

Json inference_section(const passes::Inference& inference);

Json repeats_section(const passes::Repeats& repeats);

// mfu.waterfall; seconds where steps are known.
Json waterfall_section(const passes::Analysis& a);

}  // namespace mfushim::report
