// The rules of the views, in one place.
#include "passes/view.hpp"

#include <string>

namespace mfushim::passes {

namespace {

std::optional<std::int64_t> start_of_last_profiler_step(const model::Process& process) {
  std::size_t steps = 0;
  std::int64_t last = 0;
  for (const model::Mark& mark : process.marks) {
    if (process.names[mark.name].find("ProfilerStep") == std::string::npos) continue;
    last = steps++ == 0 ? mark.start : std::max(last, mark.start);
  }
  return steps < 2 ? std::nullopt : std::optional(last);
}

}  // namespace

Selection::Selection(const model::Rank& rank, View view) : process_(*rank.process), view_(view) {
  if (view == View::kHta) last_step_ = start_of_last_profiler_step(process_);
}

bool Selection::keeps(const model::DeviceWork& work) const {
  if (view_ == View::kTracelens) return work.call != model::kNone;
  if (!last_step_) return true;
  return work.call != model::kNone && process_.calls[work.call].start < *last_step_;
}

Share Selection::share_of(const model::DeviceWork& work) const {
  if (work.communication) return Share::kCommunication;
  if (work.kind == model::WorkKind::kKernel) return Share::kCompute;
  const bool set = work.kind == model::WorkKind::kSet;
  return set && view_ == View::kTracelens ? Share::kCompute : Share::kCopy;
}

}  // namespace mfushim::passes
