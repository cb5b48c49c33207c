// Arithmetic that users write in rules: + - * /, parentheses, numbers, names, min and max.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace mfushim::knowledge {

struct ExpressionError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Expression {
 public:
  // `names` are the variables that may occur. Throws ExpressionError.
  static Expression parse(std::string_view text, const std::vector<std::string>& names);

  // `values` in the order of the names.
  double value(const std::vector<double>& values) const;

 private:
  friend class ExpressionParser;
  enum class Step : std::uint8_t {
    kNumber,
    kVariable,
    kNegate,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kMin,
    kMax
  };
  struct Operation {
    Step step = Step::kNumber;
    double number = 0;
    std::size_t variable = 0;
  };
  std::vector<Operation> operations_;  // operands before what is done with them
};

}  // namespace mfushim::knowledge
