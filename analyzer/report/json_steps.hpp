// The "steps" section of mfushim.report/1.
#pragma once

#include <nlohmann/json.hpp>

#include <vector>

#include "passes/steps.hpp"

namespace mfushim::report {

// `mfu` is that of each step, or empty.
nlohmann::ordered_json steps_section(const passes::StepResult& steps,
                                     const std::vector<double>& mfu);

// As JSON has it: profiler_marks, optimizer_kernels, graph_launches, period.
const char* method_name(passes::StepMethod method);

}  // namespace mfushim::report
