// The "steps" section of mfushim.report/1.
#pragma once

#include <nlohmann/json.hpp>

#include "passes/steps.hpp"

namespace mfushim::report {

nlohmann::ordered_json steps_section(const passes::StepResult& steps);

// As JSON has it: profiler_marks, optimizer_kernels, graph_launches, period.
const char* method_name(passes::StepMethod method);

}  // namespace mfushim::report
