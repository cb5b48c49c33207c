// A parser by recursive descent, one function per precedence; the result runs on a stack.
#include "knowledge/kernels/expression.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace mfushim::knowledge {

class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, const std::vector<std::string>& names)
      : text_(text), names_(names) {}

  Expression parse() {
    sum();
    if (next() != '\0') fail(std::string("'") + next() + "' is not expected");
    return std::move(result_);
  }

 private:
  using Step = Expression::Step;

  static constexpr int kDeepestNesting = 100;

  [[noreturn]] void fail(const std::string& what) const {
    throw ExpressionError("column " + std::to_string(at_ + 1) + ": " + what);
  }

  char next() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  void take(char c) {
    if (next() != c) fail(std::string("'") + c + "' is missing");
    ++at_;
  }

  void add(Step step) { result_.operations_.push_back({.step = step, .number = 0, .variable = 0}); }

  void sum() {
    product();
    for (char c; (c = next()) == '+' || c == '-';) {
      ++at_;
      product();
      add(c == '+' ? Step::kAdd : Step::kSubtract);
    }
  }

  void product() {
    factor();
    for (char c; (c = next()) == '*' || c == '/';) {
      ++at_;
      factor();
      add(c == '*' ? Step::kMultiply : Step::kDivide);
    }
  }

  void factor() {
    if (++depth_ > kDeepestNesting) fail("nested too deeply");
    const char c = next();
    if (c == '-') {
      ++at_;
      factor();
      add(Step::kNegate);
    } else if (c == '(') {
      ++at_;
      sum();
      take(')');
    } else if ((c >= '0' && c <= '9') || c == '.') {
      number();
    } else {
      name();
    }
    --depth_;
  }

  void number() {
    double value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc{}) fail("not a number");
    at_ += static_cast<std::size_t>(end - begin);
    result_.operations_.push_back({.step = Step::kNumber, .number = value, .variable = 0});
  }

  void name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && std::isalnum(static_cast<unsigned char>(text_[at_]))) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word == "min" || word == "max") {
      take('(');
      sum();
      take(',');
      sum();
      take(')');
      return add(word == "min" ? Step::kMin : Step::kMax);
    }
    const auto found = std::find(names_.begin(), names_.end(), word);
    if (found == names_.end()) {
      at_ = begin;
      fail(word.empty() ? "a number or a name is missing"
                        : "there is no '" + std::string(word) + "'");
    }
    result_.operations_.push_back({.step = Step::kVariable,
                                   .number = 0,
                                   .variable = static_cast<std::size_t>(found - names_.begin())});
  }

  std::string_view text_;
  const std::vector<std::string>& names_;
  std::size_t at_ = 0;
  int depth_ = 0;
  Expression result_;
};

Expression Expression::parse(std::string_view text, const std::vector<std::string>& names) {
  return ExpressionParser(text, names).parse();
}

double Expression::value(const std::vector<double>& values) const {
  std::vector<double> stack;
  for (const Operation& operation : operations_) {
    if (operation.step == Step::kNumber || operation.step == Step::kVariable) {
      stack.push_back(operation.step == Step::kNumber ? operation.number
                                                      : values.at(operation.variable));
      continue;
    }
    if (operation.step == Step::kNegate) {
      stack.back() = -stack.back();
      continue;
    }
    const double right = stack.back();
    stack.pop_back();
    double& left = stack.back();
    if (operation.step == Step::kAdd) left += right;
    if (operation.step == Step::kSubtract) left -= right;
    if (operation.step == Step::kMultiply) left *= right;
    if (operation.step == Step::kDivide) left /= right;
    if (operation.step == Step::kMin) left = std::min(left, right);
    if (operation.step == Step::kMax) left = std::max(left, right);
  }
  return stack.back();
}

}  // namespace mfushim::knowledge
