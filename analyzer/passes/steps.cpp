// Finds the spans that a profiler's schedule leaves: "ProfilerStep#7".
#include "passes/steps.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace mfushim::passes {

std::optional<std::vector<Step>> find_marked_steps(const model::Run& run) {
  for (const model::Rank& rank : run.ranks) {
    std::vector<model::Mark> marks;
    std::set<std::string> seen;  // a trace may hold the same step once per device, too
    for (const model::Mark& mark : rank.process->marks) {
      const std::string& name = rank.process->names[mark.name];
      if (name.starts_with("ProfilerStep") && seen.insert(name).second) marks.push_back(mark);
    }
    if (marks.empty()) continue;
    std::sort(marks.begin(), marks.end(),
              [](const model::Mark& a, const model::Mark& b) { return a.start < b.start; });
    std::vector<Step> steps;
    for (const model::Mark& mark : marks)
      steps.push_back({mark.start - marks.front().start, mark.end - mark.start});
    return steps;
  }
  return std::nullopt;
}

}  // namespace mfushim::passes
