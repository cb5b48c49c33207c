// Speeds beside the ceilings of the GPU, of products, kernels and classes of kernels.
#pragma once

#include "passes/analysis.hpp"
#include "report/json_values.hpp"

namespace mfushim::report {

// Rates, shares of the ceilings and which of them binds.
void put_roofline(Json& json, const passes::Roofline& work, const passes::Ceilings& ceilings);

Json roofline_section(const passes::Analysis& a);

}  // namespace mfushim::report
