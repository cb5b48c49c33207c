// Marks are spans that a profiler's schedule leaves: "ProfilerStep#7". Without them the period of
// each process is found by itself, and the processes must agree.
#include "passes/steps.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "passes/step_period.hpp"

namespace mfushim::passes {

namespace {

constexpr double kSlowStart = 1.5;  // of the median duration: warm-up
constexpr double kOutlying = 3;     // likewise: not a step like others

// Of one process. Starts are not yet those since the first.
struct ProcessSteps {
  StepMethod method = StepMethod::kPeriod;
  std::vector<Step> list;
  std::vector<Interval> spans;
  std::vector<double> likeness;
  bool device_times = false;
};

ProcessSteps find_marked(const model::Process& process) {
  std::vector<model::Mark> marks;
  std::set<std::string> seen;  // a trace may hold the same step once per device, too
  for (const model::Mark& mark : process.marks) {
    const std::string& name = process.names[mark.name];
    if (name.starts_with("ProfilerStep") && seen.insert(name).second) marks.push_back(mark);
  }
  std::sort(marks.begin(), marks.end(),
            [](const model::Mark& a, const model::Mark& b) { return a.start < b.start; });
  ProcessSteps steps;
  steps.method = StepMethod::kProfilerMarks;
  for (const model::Mark& mark : marks) {
    steps.list.push_back({mark.start, mark.end - mark.start});
    steps.spans.push_back({mark.start, mark.end});
    steps.likeness.push_back(1);
  }
  return steps;
}

// A step ends where the next one begins, unless other work lies between.
void date_by_host(const TokenStream& stream, const model::Process& process, const Period& period,
                  ProcessSteps& steps) {
  for (const Segment& segment : period.segments) {
    const std::int64_t start = process.calls[stream.tokens[segment.first].call].start;
    const std::int64_t end = segment.last < stream.tokens.size()
                                 ? process.calls[stream.tokens[segment.last].call].start
                                 : process.calls[stream.tokens.back().call].end + 1;
    steps.spans.push_back({start, end});
    steps.list.push_back({start, end - start});
    steps.likeness.push_back(segment.likeness);
  }
}

// What a device did for the calls of a step, in device time.
void date_by_device(const model::Process& process, ProcessSteps& steps) {
  std::vector<std::optional<Interval>> work_of(steps.spans.size());
  for (const auto& [device, list] : process.work)
    for (const model::DeviceWork& work : list) {
      if (work.call == model::kNone || work.sampled) continue;
      const std::int64_t called = process.calls[work.call].start;
      const auto after =
          std::upper_bound(steps.spans.begin(), steps.spans.end(), called,
                           [](std::int64_t t, const Interval& span) { return t < span.start; });
      if (after == steps.spans.begin() || called >= std::prev(after)->end) continue;
      auto& whole = work_of[static_cast<std::size_t>(after - steps.spans.begin()) - 1];
      if (!whole) whole = {work.start, work.end};
      whole = {std::min(whole->start, work.start), std::max(whole->end, work.end)};
    }
  if (!std::all_of(work_of.begin(), work_of.end(), [](const auto& w) { return w.has_value(); }))
    return;
  steps.device_times = true;
  for (std::size_t i = 0; i < steps.list.size(); ++i) {
    const bool followed =
        i + 1 < steps.list.size() && steps.spans[i].end == steps.spans[i + 1].start;
    const std::int64_t end = followed ? work_of[i + 1]->start : work_of[i]->end;
    steps.list[i] = {work_of[i]->start, std::max<std::int64_t>(end - work_of[i]->start, 0)};
  }
}

template <class Value>
Value median(std::vector<Value> values) {
  if (values.empty()) return {};
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::int64_t median_duration(const ProcessSteps& steps) {
  std::vector<std::int64_t> durations;
  for (std::size_t i = 0; i < steps.list.size(); ++i)
    if (steps.likeness[i] >= kAlike) durations.push_back(steps.list[i].duration_ns);
  return median(std::move(durations));
}

void leave_out(ProcessSteps& steps) {
  const auto median = static_cast<double>(median_duration(steps));
  bool warm = false;
  for (std::size_t i = 0; i < steps.list.size(); ++i) {
    const auto duration = static_cast<double>(steps.list[i].duration_ns);
    const bool alike = steps.likeness[i] >= kAlike;
    warm = warm || (alike && duration <= kSlowStart * median) || 2 * i >= steps.list.size();
    if (!warm)
      steps.list[i].use = StepUse::kWarmup;
    else if (!alike || duration > kOutlying * median)
      steps.list[i].use = StepUse::kOutlier;
  }
}

ProcessSteps infer(const model::Process& process) {
  ProcessSteps steps;
  const TokenStream stream = make_token_stream(process);
  const auto period = find_period(stream);
  if (!period) return steps;
  steps.method = period->anchor == TokenKind::kOptimizer ? StepMethod::kOptimizerKernels
                 : period->anchor == TokenKind::kGraph   ? StepMethod::kGraphLaunches
                                                         : StepMethod::kPeriod;
  date_by_host(stream, process, *period, steps);
  date_by_device(process, steps);
  leave_out(steps);
  return steps;
}

std::uint64_t median_launches(const model::Process& process, const ProcessSteps& steps) {
  std::vector<std::int64_t> starts;
  for (const model::HostCall& call : process.calls)
    if (call.is_launch() && call.result == 0) starts.push_back(call.start);
  std::sort(starts.begin(), starts.end());
  std::vector<std::uint64_t> launches;
  for (std::size_t i = 0; i < steps.list.size(); ++i) {
    if (steps.list[i].use != StepUse::kCounted) continue;
    const auto first = std::lower_bound(starts.begin(), starts.end(), steps.spans[i].start);
    const auto last = std::lower_bound(first, starts.end(), steps.spans[i].end);
    launches.push_back(static_cast<std::uint64_t>(last - first));
  }
  return median(std::move(launches));
}

// The number of steps that most processes find; the first of equals.
std::size_t agreed_count(const std::vector<ProcessSteps>& all) {
  std::map<std::size_t, std::size_t> votes;
  for (const ProcessSteps& steps : all)
    if (!steps.list.empty()) ++votes[steps.list.size()];
  std::size_t agreed = 0;
  for (const auto& [count, number] : votes)
    if (agreed == 0 || number > votes[agreed]) agreed = count;
  return agreed;
}

void judge(const ProcessSteps& steps, StepResult& result) {
  std::vector<double> likeness;
  for (std::size_t i = 0; i < steps.list.size(); ++i)
    if (steps.list[i].use == StepUse::kCounted) likeness.push_back(steps.likeness[i]);
  const auto counted = static_cast<double>(likeness.size());
  result.likeness = median(std::move(likeness));
  if (result.method == StepMethod::kProfilerMarks) return;
  // Two steps alike may be chance, ten hardly.
  result.confidence = result.likeness * counted / (counted + 0.5) *
                      static_cast<double>(result.agreeing) / static_cast<double>(result.processes);
}

}  // namespace

std::size_t StepResult::count(StepUse use) const {
  return static_cast<std::size_t>(
      std::count_if(list.begin(), list.end(), [&](const Step& step) { return step.use == use; }));
}

std::vector<Interval> StepResult::training_spans() const {
  std::vector<Interval> result;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].use != StepUse::kOutlier) result.push_back(spans[reference][i]);
  return result;
}

std::optional<StepResult> find_steps(const model::Run& run) {
  std::vector<ProcessSteps> all;
  for (const auto& process : run.processes) all.push_back(find_marked(*process));
  if (agreed_count(all) == 0) {
    all.clear();
    for (const auto& process : run.processes) all.push_back(infer(*process));
  }
  const std::size_t agreed = agreed_count(all);
  if (agreed == 0) return std::nullopt;
  StepResult result;
  result.spans.resize(all.size());
  const ProcessSteps* reference = nullptr;
  for (std::size_t i = 0; i < all.size(); ++i) {
    result.processes += !all[i].list.empty();
    if (all[i].list.size() != agreed) continue;
    ++result.agreeing;
    result.spans[i] = all[i].spans;
    if (reference) continue;
    reference = &all[i];
    result.reference = i;
    result.origin_ns = all[i].list.front().start_ns +
                       (all[i].device_times ? run.processes[i]->gpu_time.offset_ns : 0);
    result.period_kernels = median_launches(*run.processes[i], all[i]);
  }
  result.method = reference->method;
  result.device_times = reference->device_times;
  result.list = reference->list;
  for (Step& step : result.list) step.start_ns -= reference->list.front().start_ns;
  judge(*reference, result);
  return result;
}

}  // namespace mfushim::passes
