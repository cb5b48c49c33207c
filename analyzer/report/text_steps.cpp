// How many steps, by which evidence, and which do not count.
#include "report/text_steps.hpp"

#include "report/text_format.hpp"

namespace mfushim::report {

namespace {

using passes::StepMethod;
using passes::StepUse;

const char* evidence_of(StepMethod method) {
  switch (method) {
    case StepMethod::kProfilerMarks:
      return "marked by a profiler";
    case StepMethod::kOptimizerKernels:
      return "by optimizer kernels";
    case StepMethod::kGraphLaunches:
      return "by graph launches";
    case StepMethod::kPeriod:
      return "by the period of the work";
  }
  return "";
}

}  // namespace

void print_steps(std::string& out, const passes::StepResult& steps) {
  print(out, "{} ({}", plural(steps.list.size(), "step"), evidence_of(steps.method));
  if (steps.method != StepMethod::kProfilerMarks)
    print(out, ", confidence {:.2f}", steps.confidence);
  print(out, "), {} launches each", count(steps.period_kernels));
  const std::size_t warmup = steps.count(StepUse::kWarmup);
  const std::size_t outliers = steps.count(StepUse::kOutlier);
  if (warmup + outliers > 0)
    print(out, "; {} and {} left out", plural(warmup, "warm-up step"),
          plural(outliers, "outlying step"));
  if (steps.agreeing < steps.processes)
    print(out, "; only {} of {} agree on it", steps.agreeing, plural(steps.processes, "process"));
  out += '\n';
}

}  // namespace mfushim::report
