// Divides a stream of tokens into steps that end at given tokens, and says how alike they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "passes/step_period.hpp"

namespace mfushim::passes {

using Ends = std::vector<std::size_t>;  // index of the last token of each part

// How often each symbol occurs in a part, weighted.
class Work {
 public:
  explicit Work(const TokenStream& stream);

  void clear();
  void add(std::size_t first, std::size_t last);
  std::uint64_t total() const { return total_; }
  // What both have over what either has.
  double likeness(const Work& other) const;

 private:
  const TokenStream& stream_;
  std::vector<std::uint64_t> counts_;
  std::vector<std::uint32_t> present_;
  std::uint64_t total_ = 0;
};

class Divider {
 public:
  explicit Divider(const TokenStream& stream);

  // `ends` is not empty. Without segments where the typical step does next to nothing.
  Period divide(const Ends& ends);

 private:
  std::uint64_t weight(std::size_t first, std::size_t last) const {
    return weights_[last] - weights_[first];
  }
  Segment typical_of(const std::vector<Segment>& parts) const;
  void compare(Segment& part);
  void cut(Segment& part, std::size_t first);

  const TokenStream& stream_;
  Work typical_, part_, suffix_;
  std::size_t typical_size_ = 0;        // tokens, copies too
  std::vector<std::uint64_t> weights_;  // of all tokens before each
};

}  // namespace mfushim::passes
