// Unions of time intervals in integer nanoseconds: what every figure of the ledger is made of.
#pragma once

#include <cstdint>
#include <vector>

namespace mfushim::passes {

struct Interval {
  std::int64_t start = 0;
  std::int64_t end = 0;
};

// Disjoint intervals in order. Grows at its end: add() takes intervals in order of their starts.
class Union {
 public:
  void add(Interval interval);

  const std::vector<Interval>& intervals() const { return intervals_; }
  bool empty() const { return intervals_.empty(); }
  std::int64_t length() const;

 private:
  std::vector<Interval> intervals_;
};

Union unite(const Union& a, const Union& b);
Union intersect(const Union& a, const Union& b);
// Length of what is in both.
std::int64_t common_length(const Union& a, const Union& b);
// Length of what is in `a` and in the one interval.
std::int64_t common_length(const Union& a, Interval b);

}  // namespace mfushim::passes
