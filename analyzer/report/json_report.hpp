// The report for programs: mfushim.report/1. Times are integer nanoseconds, absent means not known.
#pragma once

#include <nlohmann/json.hpp>

#include "passes/analysis.hpp"

namespace mfushim::report {

nlohmann::ordered_json json_report(const passes::Analysis& analysis);

}  // namespace mfushim::report
