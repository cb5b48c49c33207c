// Every share from unions of intervals; nothing is summed that may overlap.
#include "passes/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "model/time_limits.hpp"

namespace mfushim::passes {

Ledger& Ledger::operator+=(const Ledger& other) {
  records += other.records;
  model::add_duration(total, other.total);
  model::add_duration(busy, other.busy);
  model::add_duration(idle, other.idle);
  model::add_duration(compute, other.compute);
  model::add_duration(comm, other.comm);
  model::add_duration(copy, other.copy);
  model::add_duration(overlap, other.overlap);
  model::add_duration(exposed_comm, other.exposed_comm);
  model::add_duration(exposed_copy, other.exposed_copy);
  return *this;
}

Activity find_activity(const model::Rank& rank, View view) {
  static const std::vector<model::DeviceWindow> kAlways = {{}};
  Activity a;
  const Selection selection(rank, view);
  const std::vector<model::DeviceWindow>& windows = rank.windows ? *rank.windows : kAlways;
  auto window = windows.begin();
  std::optional<Interval> span;
  const auto end_span = [&] {
    if (span) a.spans.add(*span);
    span.reset();
  };
  for (const model::DeviceWork& work : *rank.work) {
    if (!selection.keeps(work)) continue;
    for (; window != windows.end() && work.start >= window->end; ++window) end_span();
    if (window == windows.end()) break;
    // What runs at a window's edge counts as far as it is inside.
    if (work.start < window->start && work.end <= window->start) continue;
    const Interval interval{std::max(work.start, window->start), std::min(work.end, window->end)};
    if (!span) span = interval;
    span->end = std::max(span->end, interval.end);
    ++a.records;
    a.all.add(interval);
    switch (selection.share_of(work)) {
      case Share::kCompute:
        a.compute.add(interval);
        break;
      case Share::kCommunication:
        a.comm.add(interval);
        break;
      case Share::kCopy:
        a.copy.add(interval);
        break;
    }
  }
  end_span();
  return a;
}

Ledger make_ledger(const Activity& a) {
  Ledger l;
  l.records = a.records;
  l.total = a.spans.length();
  l.busy = a.all.length();
  l.idle = l.total - l.busy;
  l.compute = a.compute.length();
  l.comm = a.comm.length();
  l.copy = a.copy.length();
  l.overlap = common_length(a.comm, a.compute);
  l.exposed_comm = l.comm - l.overlap;
  l.exposed_copy = l.copy - common_length(a.copy, unite(a.compute, a.comm));
  check(l);
  return l;
}

void check(const Ledger& l) {
  const std::int64_t parts = l.compute + l.exposed_comm + l.exposed_copy + l.idle;
  if (parts != l.total)
    throw std::logic_error(
        fmt::format("the time ledger does not add up: compute {} + exposed communication {} + "
                    "exposed copies {} + idle {} = {} ns, but total is {} ns",
                    l.compute, l.exposed_comm, l.exposed_copy, l.idle, parts, l.total));
}

}  // namespace mfushim::passes
