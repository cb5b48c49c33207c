// Rules that users give in a file: what kernels of their own are, and how much they compute.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/kernels/expression.hpp"
#include "knowledge/kernels/kernel.hpp"

namespace mfushim::knowledge {

struct RuleError : std::runtime_error {
  RuleError(std::uint64_t at, const std::string& what) : std::runtime_error(what), line(at) {}
  std::uint64_t line;
};

// A rule's expression with what its pattern captured in one name.
struct FlopsRule {
  Expression expression;
  std::vector<double> captures;

  // Of one launch; absent where the arithmetic gives nothing that is a count.
  std::optional<double> flops(const std::array<std::uint32_t, 3>& grid,
                              const std::array<std::uint32_t, 3>& block) const;
};

class UserRules {
 public:
  // docs/kernels.md describes the file. Throws RuleError.
  static UserRules parse(std::string_view text);

  // The first rule that fits a demangled name decides.
  void apply(std::string_view demangled, KernelFacts& facts) const;

 private:
  struct Rule {
    std::uint64_t line = 0;
    std::regex pattern;
    std::string_view kernel_class;
    std::optional<Expression> flops;
  };
  std::vector<Rule> rules_;
};

}  // namespace mfushim::knowledge
