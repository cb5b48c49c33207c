// Merging and intersecting ordered intervals, each in one walk.
#include "passes/intervals.hpp"

#include <algorithm>

namespace mfushim::passes {

namespace {

// Calls `use` with each interval that both share, in order.
template <class Use>
void for_each_common(const Union& a, const Union& b, Use&& use) {
  auto i = a.intervals().begin();
  auto j = b.intervals().begin();
  while (i != a.intervals().end() && j != b.intervals().end()) {
    const Interval both{std::max(i->start, j->start), std::min(i->end, j->end)};
    if (both.start < both.end) use(both);
    if (i->end < j->end)
      ++i;
    else
      ++j;
  }
}

}  // namespace

void Union::add(Interval interval) {
  if (interval.end <= interval.start) return;
  if (!intervals_.empty() && interval.start <= intervals_.back().end)
    intervals_.back().end = std::max(intervals_.back().end, interval.end);
  else
    intervals_.push_back(interval);
}

std::int64_t Union::length() const {
  std::int64_t length = 0;
  for (const Interval& i : intervals_) length += i.end - i.start;
  return length;
}

Union unite(const Union& a, const Union& b) {
  Union result;
  auto i = a.intervals().begin();
  auto j = b.intervals().begin();
  while (i != a.intervals().end() || j != b.intervals().end()) {
    const bool from_a =
        j == b.intervals().end() || (i != a.intervals().end() && i->start <= j->start);
    result.add(from_a ? *i++ : *j++);
  }
  return result;
}

Union intersect(const Union& a, const Union& b) {
  Union common;
  for_each_common(a, b, [&](Interval both) { common.add(both); });
  return common;
}

std::int64_t common_length(const Union& a, const Union& b) {
  std::int64_t length = 0;
  for_each_common(a, b, [&](Interval both) { length += both.end - both.start; });
  return length;
}

std::int64_t common_length(const Union& a, Interval b) {
  const auto& all = a.intervals();
  auto i = std::partition_point(all.begin(), all.end(),
                                [&](const Interval& x) { return x.end <= b.start; });
  std::int64_t length = 0;
  for (; i != all.end() && i->start < b.end; ++i)
    length += std::min(i->end, b.end) - std::max(i->start, b.start);
  return length;
}

}  // namespace mfushim::passes
