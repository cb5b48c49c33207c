// The longest consistent period of a stream of tokens: steps without anyone who marks them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "passes/step_stream.hpp"

namespace mfushim::passes {

// Tokens [first, last) of one step.
struct Segment {
  std::size_t first = 0;
  std::size_t last = 0;
  double likeness = 0;    // to the typical step: 1 where the work is the same
  bool preceded = false;  // by other work since the step before
};

struct Period {
  TokenKind anchor = TokenKind::kKernel;  // what ends each step
  std::vector<Segment> segments;          // in order; between them may lie other work
  double covered = 0;                     // share of the stream's work that lies in steps alike
};

// Steps are alike from here on.
inline constexpr double kAlike = 0.85;

// Absent when nothing repeats at least twice in a like manner.
std::optional<Period> find_period(const TokenStream& stream);

}  // namespace mfushim::passes
