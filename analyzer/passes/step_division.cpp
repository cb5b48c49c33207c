// Parts are compared with the one of median work.
#include "passes/step_division.hpp"

#include <algorithm>

namespace mfushim::passes {

namespace {

constexpr std::uint64_t kLeastWork = 4;  // device records of a step
constexpr double kLonger = 1.05;         // than a step: other work precedes it

}  // namespace

Work::Work(const TokenStream& stream) : stream_(stream), counts_(stream.kinds.size()) {}

void Work::clear() {
  for (const std::uint32_t symbol : present_) counts_[symbol] = 0;
  present_.clear();
  total_ = 0;
}

void Work::add(std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    const Token& token = stream_.tokens[i];
    if (!is_structure(stream_.kinds[token.symbol])) continue;
    if (counts_[token.symbol] == 0) present_.push_back(token.symbol);
    counts_[token.symbol] += token.weight;
    total_ += token.weight;
  }
}

double Work::likeness(const Work& other) const {
  std::uint64_t common = 0;
  for (const std::uint32_t symbol : present_)
    common += std::min(counts_[symbol], other.counts_[symbol]);
  const std::uint64_t either = total_ + other.total_ - common;
  return either == 0 ? 0 : static_cast<double>(common) / static_cast<double>(either);
}

Divider::Divider(const TokenStream& stream)
    : stream_(stream), typical_(stream), part_(stream), suffix_(stream), weights_(1) {
  for (const Token& token : stream.tokens)
    weights_.push_back(weights_.back() +
                       (is_structure(stream.kinds[token.symbol]) ? token.weight : 0));
}

Period Divider::divide(const Ends& ends) {
  Period period;
  period.anchor = stream_.kinds[stream_.tokens[ends.front()].symbol];
  std::vector<Segment> parts;
  for (std::size_t i = 0, first = 0; i < ends.size(); first = ends[i++] + 1)
    parts.push_back({first, ends[i] + 1, 0, false});
  const Segment typical = typical_of(parts);
  typical_.clear();
  typical_.add(typical.first, typical.last);
  typical_size_ = typical.last - typical.first;
  if (typical_.total() < kLeastWork) return period;
  std::uint64_t covered = 0;
  for (Segment& part : parts) {
    compare(part);
    if (part.likeness >= kAlike) covered += weight(part.first, part.last);
  }
  period.segments = std::move(parts);
  if (weights_.back() > 0)
    period.covered = static_cast<double>(covered) / static_cast<double>(weights_.back());
  return period;
}

// The part of median work; the first holds preparations as well.
Segment Divider::typical_of(const std::vector<Segment>& parts) const {
  std::vector<Segment> sorted(parts.begin() + (parts.size() > 1), parts.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end(), [&](const Segment& a, const Segment& b) {
    return weight(a.first, a.last) < weight(b.first, b.last);
  });
  return *middle;
}

// A part that begins with other work, say an evaluation or a checkpoint's copies, ends with a
// step all the same.
void Divider::compare(Segment& part) {
  part_.clear();
  part_.add(part.first, part.last);
  part.likeness = part_.likeness(typical_);
  if (static_cast<double>(part_.total()) > kLonger * static_cast<double>(typical_.total())) {
    const auto from =
        std::upper_bound(weights_.begin(), weights_.end(), weights_[part.last] - typical_.total());
    cut(part, static_cast<std::size_t>(from - weights_.begin()) - 1);
  } else if (static_cast<double>(part.last - part.first) >
             kLonger * static_cast<double>(typical_size_)) {
    cut(part, part.last - typical_size_);
  }
}

void Divider::cut(Segment& part, std::size_t first) {
  if (first <= part.first) return;
  suffix_.clear();
  suffix_.add(first, part.last);
  const double likeness = suffix_.likeness(typical_);
  if (likeness < std::max(kAlike, part.likeness)) return;
  part = {first, part.last, likeness, true};
}

}  // namespace mfushim::passes
