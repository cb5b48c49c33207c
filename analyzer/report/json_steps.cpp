// Statistics are those of the counted steps; the list has all.
#include "report/json_steps.hpp"

#include <algorithm>
#include <vector>

namespace mfushim::report {

using nlohmann::ordered_json;
using passes::StepUse;

const char* method_name(passes::StepMethod method) {
  switch (method) {
    case passes::StepMethod::kProfilerMarks:
      return "profiler_marks";
    case passes::StepMethod::kOptimizerKernels:
      return "optimizer_kernels";
    case passes::StepMethod::kGraphLaunches:
      return "graph_launches";
    case passes::StepMethod::kPeriod:
      return "period";
  }
  return "";
}

ordered_json steps_section(const passes::StepResult& steps, const std::vector<double>& mfu) {
  std::vector<std::int64_t> sorted;
  __int128 sum = 0;
  ordered_json list = ordered_json::array();
  for (std::size_t i = 0; i < steps.list.size(); ++i) {
    const passes::Step& step = steps.list[i];
    ordered_json entry = {{"index", steps.first_index + i},
                          {"start_ns", step.start_ns},
                          {"duration_ns", step.duration_ns},
                          {"called_ns", steps.spans[steps.reference][i].start - steps.origin_ns}};
    if (!mfu.empty()) entry["mfu"] = mfu[i];
    if (step.use == StepUse::kCounted) {
      sorted.push_back(step.duration_ns);
      sum += step.duration_ns;
    } else {
      entry["excluded"] = step.use == StepUse::kWarmup ? "warmup" : "outlier";
    }
    list.push_back(std::move(entry));
  }
  std::sort(sorted.begin(), sorted.end());
  ordered_json json = {
      {"method", method_name(steps.method)},
      {"period_kernels", steps.period_kernels},
      {"confidence", steps.confidence},
      {"count", steps.list.size()},
      {"excluded",
       {{"warmup", steps.count(StepUse::kWarmup)}, {"outliers", steps.count(StepUse::kOutlier)}}}};
  if (!sorted.empty()) {
    json["mean_ns"] = static_cast<std::int64_t>(sum / static_cast<__int128>(sorted.size()));
    json["median_ns"] = sorted[(sorted.size() - 1) / 2];
    json["p99_ns"] = sorted[(sorted.size() * 99 + 99) / 100 - 1];
  }
  json["evidence"] = {{"likeness", steps.likeness},
                      {"processes", steps.processes},
                      {"agreeing", steps.agreeing},
                      {"clock", steps.device_times ? "device" : "host"}};
  json["origin_ns"] = steps.origin_ns;
  json["list"] = std::move(list);
  return json;
}

}  // namespace mfushim::report
