// The section `mfu` of mfushim.report/1.
#pragma once

#include "passes/analysis.hpp"
#include "report/json_values.hpp"

namespace mfushim::report {

Json mfu_section(const passes::Analysis& analysis);

}  // namespace mfushim::report
