// The steps are found in the whole run, so that the choice does not change what they are.
#include "passes/step_range.hpp"

#include <algorithm>

#include "model/narrow.hpp"

namespace mfushim::passes {

std::optional<StepResult> narrow_to_steps(model::Run& run, const StepRange& range) {
  auto steps = find_steps(run);
  if (!steps || range.first >= steps->list.size()) return std::nullopt;
  const std::size_t last = std::min(range.last, steps->list.size());
  std::vector<model::Window> windows;
  for (auto& spans : steps->spans) {
    if (spans.empty()) {
      windows.emplace_back();  // a process that does not agree on the steps
      continue;
    }
    windows.push_back({spans[range.first].start, spans[last - 1].end});
    spans = {spans.begin() + static_cast<std::ptrdiff_t>(range.first),
             spans.begin() + static_cast<std::ptrdiff_t>(last)};
  }
  model::narrow(run, windows);
  steps->first_index = range.first;
  steps->list = {steps->list.begin() + static_cast<std::ptrdiff_t>(range.first),
                 steps->list.begin() + static_cast<std::ptrdiff_t>(last)};
  const std::int64_t first_start = steps->list.front().start_ns;
  steps->origin_ns += first_start;
  for (Step& step : steps->list) step.start_ns -= first_start;
  return steps;
}

}  // namespace mfushim::passes
