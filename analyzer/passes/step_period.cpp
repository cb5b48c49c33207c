// Tries each kind of token as the end of a step and keeps the division into the fewest equal parts
// that explains the stream. Tokens of a burst, like those of an optimizer, are one end.
#include "passes/step_period.hpp"

#include <algorithm>
#include <map>

#include "passes/step_division.hpp"

namespace mfushim::passes {

namespace {

constexpr std::size_t kSample = 1 << 17;     // tokens that candidates are compared on
constexpr std::size_t kMostCandidates = 48;  // of symbols with different numbers of occurrences
constexpr std::size_t kBurstGap = 12;        // tokens between kernels of one update, at most
constexpr std::size_t kMostBursts = 4;       // ways to gather occurrences to ends
constexpr std::size_t kMostPerStep = 4;      // ends that a step may have, as with two optimizers
constexpr double kSame = 0.999;              // parts that are one and the same work
constexpr double kNearlyAll = 0.8;           // of the steps
constexpr double kNearlyBest = 0.1;          // of coverage
constexpr double kAfterUpdate = 0.1;         // of a step: the work that may follow the optimizer's
constexpr std::size_t kFewestPauses = 3;     // at a place in steps, whose median says something

std::size_t count_alike(const Period& period) {
  return static_cast<std::size_t>(
      std::count_if(period.segments.begin(), period.segments.end(),
                    [](const Segment& s) { return s.likeness >= kAlike; }));
}

// Distances above which two occurrences do not belong to one end: where sorted distances leap.
std::vector<std::size_t> burst_lengths(const Ends& positions) {
  std::vector<std::size_t> gaps;
  for (std::size_t i = 1; i < positions.size(); ++i)
    gaps.push_back(positions[i] - positions[i - 1]);
  std::sort(gaps.begin(), gaps.end());
  std::vector<std::pair<double, std::size_t>> leaps;
  for (std::size_t i = 1; i < gaps.size(); ++i)
    if (gaps[i] >= 2 * gaps[i - 1])
      leaps.emplace_back(static_cast<double>(gaps[i]) / static_cast<double>(gaps[i - 1]),
                         gaps[i - 1]);
  std::sort(leaps.rbegin(), leaps.rend());
  std::vector<std::size_t> lengths{0};
  for (std::size_t i = 0; i < std::min(leaps.size(), kMostBursts); ++i)
    lengths.push_back(leaps[i].second);
  return lengths;
}

Ends ends_of_bursts(const Ends& positions, std::size_t length) {
  Ends ends;
  for (std::size_t i = 0; i < positions.size(); ++i)
    if (i + 1 == positions.size() || positions[i + 1] - positions[i] > length)
      ends.push_back(positions[i]);
  return ends;
}

// A set of symbols that may end steps, and how to gather their occurrences.
struct Rule {
  std::vector<std::uint32_t> symbols;
  std::size_t burst = 0;
  std::size_t per_step = 1;
};

Ends positions_of(const TokenStream& stream, const std::vector<std::uint32_t>& symbols) {
  std::vector<bool> wanted(stream.kinds.size());
  for (const std::uint32_t symbol : symbols) wanted[symbol] = true;
  Ends positions;
  for (std::size_t i = 0; i < stream.tokens.size(); ++i)
    if (wanted[stream.tokens[i].symbol]) positions.push_back(i);
  return positions;
}

// The last end is an end of a step: what follows it is cut off.
Ends every(const Ends& ends, std::size_t per_step) {
  Ends kept;
  for (std::size_t i = (ends.size() - 1) % per_step; i < ends.size(); i += per_step)
    kept.push_back(ends[i]);
  return kept;
}

Ends ends_of(const Ends& positions, const Rule& rule) {
  return every(ends_of_bursts(positions, rule.burst), rule.per_step);
}

struct Candidate {
  Rule rule;
  Period period;
};

void try_symbols(const TokenStream& stream, const std::vector<std::uint32_t>& symbols,
                 std::size_t most_per_step, Divider& divider, std::vector<Candidate>& candidates) {
  const Ends positions = positions_of(stream, symbols);
  if (positions.size() < 2) return;
  for (const std::size_t burst : burst_lengths(positions))
    for (std::size_t per_step = 1; per_step <= most_per_step; ++per_step) {
      Rule rule{symbols, burst, per_step};
      const Ends ends = ends_of(positions, rule);
      if (ends.size() < 2) break;
      Period period = divider.divide(ends);
      if (count_alike(period) >= 2) candidates.push_back({std::move(rule), std::move(period)});
    }
}

// Of candidates that explain nearly as much as the best the first in the order of `before`.
template <class Before>
const Candidate* choose(const std::vector<Candidate>& candidates, double best, Before before) {
  const Candidate* chosen = nullptr;
  for (const Candidate& candidate : candidates)
    if (candidate.period.covered >= best - kNearlyBest &&
        (!chosen || before(candidate.period, chosen->period)))
      chosen = &candidate;
  return chosen;
}

double best_coverage(const std::vector<Candidate>& candidates) {
  double best = 0;
  for (const Candidate& candidate : candidates) best = std::max(best, candidate.period.covered);
  return best;
}

// The most steps of which nearly all are alike, as long as they explain a good part of the stream:
// what lies between, like evaluations, may be much.
const Candidate* choose_update(const std::vector<Candidate>& candidates) {
  const double best = best_coverage(candidates);
  const auto counts = [&](const Period& period) {
    return period.covered >= best / 2 &&
           static_cast<double>(count_alike(period)) >=
               kNearlyAll * static_cast<double>(period.segments.size());
  };
  return choose(candidates, 0, [&](const Period& a, const Period& b) {
    if (counts(a) != counts(b)) return counts(a);
    return counts(a) ? a.segments.size() > b.segments.size() : a.covered > b.covered;
  });
}

// Whether a period consists of equal parts all through, but for its ends.
bool is_uniform(const Period& period) {
  if (period.segments.size() < 4) return false;
  return std::all_of(period.segments.begin() + 1, period.segments.end() - 1,
                     [](const Segment& s) { return s.likeness >= kSame && !s.preceded; });
}

// Symbols that occur equally often, in the same place of each step, are one candidate: the last.
std::vector<std::uint32_t> structural_symbols(const TokenStream& stream) {
  std::vector<std::uint64_t> counts(stream.kinds.size());
  std::vector<std::size_t> last(stream.kinds.size());
  for (std::size_t i = 0; i < stream.tokens.size(); ++i) {
    ++counts[stream.tokens[i].symbol];
    last[stream.tokens[i].symbol] = i;
  }
  std::map<std::uint64_t, std::uint32_t> by_count;  // rare ones first
  for (std::uint32_t symbol = 0; symbol < counts.size(); ++symbol) {
    if (counts[symbol] < 2 || !is_structure(stream.kinds[symbol])) continue;
    const auto [at, added] = by_count.try_emplace(counts[symbol], symbol);
    if (!added && last[at->second] < last[symbol]) at->second = symbol;
  }
  std::vector<std::uint32_t> symbols;
  for (const auto& [count, symbol] : by_count) {
    if (symbols.size() == kMostCandidates) break;
    symbols.push_back(symbol);
  }
  return symbols;
}

// Kernels of optimizers. One over lists of tensors may serve others too, as copies of shards do:
// those count that come in as many bursts as most.
std::vector<std::uint32_t> optimizer_symbols(const TokenStream& stream) {
  std::map<std::size_t, std::vector<std::uint32_t>> by_bursts;
  for (std::uint32_t symbol = 0; symbol < stream.kinds.size(); ++symbol)
    if (stream.kinds[symbol] == TokenKind::kOptimizer)
      by_bursts[ends_of_bursts(positions_of(stream, {symbol}), kBurstGap).size()].push_back(symbol);
  const auto most = std::max_element(
      by_bursts.begin(), by_bursts.end(),
      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  return most == by_bursts.end() ? std::vector<std::uint32_t>{} : most->second;
}

std::optional<Rule> find_rule(const TokenStream& stream) {
  Divider divider(stream);
  const std::vector<std::uint32_t> optimizer = optimizer_symbols(stream);
  std::vector<Candidate> updates, others;
  if (!optimizer.empty()) try_symbols(stream, optimizer, kMostPerStep, divider, updates);
  for (const std::uint32_t symbol : structural_symbols(stream))
    try_symbols(stream, {symbol}, 1, divider, others);

  const double best = std::max(best_coverage(updates), best_coverage(others));
  // One update of the weights is one step, unless most of the work lies elsewhere, say in graphs.
  if (!updates.empty() && best_coverage(updates) >= best / 2) return choose_update(updates)->rule;
  const Candidate* chosen = choose(others, best, [](const Period& a, const Period& b) {
    return a.segments.size() != b.segments.size() ? a.segments.size() < b.segments.size()
                                                  : a.covered > b.covered;
  });
  if (!chosen) return std::nullopt;
  // What is rare, like a line of the log every tenth step, may hide a shorter period.
  const Candidate* shorter = choose(others, best, [](const Period& a, const Period& b) {
    return is_uniform(a) != is_uniform(b) ? is_uniform(a) : a.segments.size() > b.segments.size();
  });
  if (is_uniform(shorter->period) &&
      shorter->period.segments.size() >= 2 * chosen->period.segments.size())
    chosen = shorter;
  return chosen->rule;
}

// The middle of a long stream, where it is steady.
TokenStream sample_of(const TokenStream& stream) {
  TokenStream sample;
  sample.kinds = stream.kinds;
  const std::size_t size = std::min(stream.tokens.size(), kSample);
  const auto first =
      stream.tokens.begin() + static_cast<std::ptrdiff_t>((stream.tokens.size() - size) / 2);
  sample.tokens.assign(first, first + static_cast<std::ptrdiff_t>(size));
  return sample;
}

// The median pause of the host before each of the first `size` tokens of these steps.
std::vector<std::int64_t> median_pauses(const TokenStream& stream,
                                        const std::vector<const Segment*>& segments,
                                        std::size_t size) {
  std::vector<std::int64_t> pauses;
  for (std::size_t at = 0; at < size; ++at) {
    std::vector<std::int64_t> gaps;
    for (const Segment* segment : segments)
      gaps.push_back(stream.tokens[segment->first + at].gap_ns);
    const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>((gaps.size() - 1) / 2);
    std::nth_element(gaps.begin(), middle, gaps.end());
    pauses.push_back(*middle);
  }
  return pauses;
}

// How many of a step's first tokens may belong to the step before: any without an optimizer that
// ends steps. After its end there may be metrics, which are no products.
std::size_t movable(const TokenStream& stream, TokenKind anchor, const Segment& step) {
  const std::size_t size = step.last - step.first;
  if (anchor != TokenKind::kOptimizer) return size;
  const auto most = static_cast<std::size_t>(kAfterUpdate * static_cast<double>(size));
  for (std::size_t at = 0; at < most; ++at) {
    const TokenKind kind = stream.kinds[stream.tokens[step.first + at].symbol];
    if (kind == TokenKind::kProduct || kind == TokenKind::kOperation || kind == TokenKind::kGraph)
      return std::max<std::size_t>(at, 1);
  }
  return std::max<std::size_t>(most, 1);
}

// Where a period begins is a matter of taste; programs wait for data or for results between steps.
// The ends moved to where the host paused longest, in the median of the steps that are the same,
// within the tokens that may be moved; before a step's input where that is nearly as long.
Ends moved_to_pause(const TokenStream& stream, const Period& period) {
  std::map<std::size_t, std::vector<const Segment*>> by_size;
  for (const Segment& segment : period.segments)
    if (segment.likeness >= kSame) by_size[segment.last - segment.first].push_back(&segment);
  const auto usual = std::max_element(
      by_size.begin(), by_size.end(),
      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  // A pause of one or two steps may be the machine's.
  if (usual == by_size.end() || usual->second.size() < kFewestPauses) return {};
  const auto& [size, segments] = *usual;
  const std::vector<std::int64_t> pauses =
      median_pauses(stream, segments, movable(stream, period.anchor, *segments.front()));
  const auto longest = std::max_element(pauses.begin(), pauses.end());
  std::size_t chosen = static_cast<std::size_t>(longest - pauses.begin());
  std::int64_t before_input = *longest / 2;
  for (std::size_t at = 0; at < pauses.size(); ++at)
    if (stream.kinds[stream.tokens[segments.front()->first + at].symbol] == TokenKind::kInput &&
        pauses[at] > before_input) {
      before_input = pauses[at];
      chosen = at;
    }
  Ends ends;
  const Segment& first = period.segments.front();
  if (first.likeness >= kAlike && !first.preceded && first.first + chosen > 0)
    ends.push_back(first.first + chosen - 1);
  for (const Segment& segment : period.segments)
    ends.push_back(std::min(segment.last + chosen, stream.tokens.size()) - 1);
  return ends;
}

// What was recorded of a step that began before or ended after is none.
void drop_fragments(std::vector<Segment>& segments) {
  std::vector<std::size_t> sizes;
  for (const Segment& segment : segments) sizes.push_back(segment.last - segment.first);
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  const auto is_fragment = [usual = *middle](const Segment& segment) {
    return segment.likeness < kAlike && 2 * (segment.last - segment.first) < usual;
  };
  if (is_fragment(segments.front())) segments.erase(segments.begin());
  if (!segments.empty() && is_fragment(segments.back())) segments.pop_back();
}

}  // namespace

std::optional<Period> find_period(const TokenStream& stream) {
  const auto rule =
      stream.tokens.size() > kSample ? find_rule(sample_of(stream)) : find_rule(stream);
  if (!rule) return std::nullopt;
  Divider divider(stream);
  Period period = divider.divide(ends_of(positions_of(stream, rule->symbols), *rule));
  if (count_alike(period) < 2) return std::nullopt;
  if (const Ends moved = moved_to_pause(stream, period); moved.size() >= 2) {
    Period better = divider.divide(moved);
    better.anchor = period.anchor;
    if (count_alike(better) >= 2) period = std::move(better);
  }
  drop_fragments(period.segments);
  return period;
}

}  // namespace mfushim::passes
