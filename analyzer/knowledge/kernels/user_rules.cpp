// Reads rules line by line, so that errors can name their line.
#include "knowledge/kernels/user_rules.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>

#include "knowledge/csv.hpp"

namespace mfushim::knowledge {

namespace {

// The library's matcher recurses once per character.
constexpr std::size_t kLongestName = 4096;

std::vector<std::string> variable_names(std::size_t captures) {
  std::vector<std::string> names = {"gx", "gy", "gz", "bx", "by", "bz"};
  for (std::size_t i = 1; i <= captures; ++i) names.push_back("c" + std::to_string(i));
  return names;
}

std::string_view class_named(const std::string& name, std::uint64_t line) {
  for (const std::string_view known : kernel_classes())
    if (known == name) return known;
  std::string list;
  for (const std::string_view known : kernel_classes())
    list += (list.empty() ? "" : ", ") + std::string(known);
  throw RuleError(line, "there is no class '" + name + "' among " + list);
}

std::string cell_of(const CsvRow& row, const char* column) {
  const auto cell = row.find(column);
  return cell == row.end() ? std::string() : cell->second;
}

}  // namespace

std::optional<double> FlopsRule::flops(const std::array<std::uint32_t, 3>& grid,
                                       const std::array<std::uint32_t, 3>& block) const {
  std::vector<double> values(grid.begin(), grid.end());
  values.insert(values.end(), block.begin(), block.end());
  values.insert(values.end(), captures.begin(), captures.end());
  const double result = expression.value(values);
  if (!std::isfinite(result) || result < 0) return std::nullopt;
  return result;
}

UserRules UserRules::parse(std::string_view text) {
  UserRules rules;
  std::uint64_t line = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string row_text(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line;
    if (row_text.ends_with('\r')) row_text.pop_back();
    const auto rows = parse_csv("class,pattern,flops\n" + row_text);
    if (rows.empty()) continue;
    const std::string pattern = cell_of(rows[0], "pattern");
    const std::string kernel_class = cell_of(rows[0], "class");
    if (kernel_class == "class" && pattern == "pattern") continue;  // names of the columns
    if (pattern.empty()) throw RuleError(line, "a rule is class,pattern[,flops]");
    Rule& rule = rules.rules_.emplace_back();
    rule.line = line;
    rule.kernel_class = class_named(kernel_class, line);
    try {
      rule.pattern = std::regex(pattern);
      if (const std::string flops = cell_of(rows[0], "flops"); !flops.empty())
        rule.flops = Expression::parse(flops, variable_names(rule.pattern.mark_count()));
    } catch (const std::regex_error&) {
      throw RuleError(line, "'" + pattern + "' is no regular expression");
    } catch (const ExpressionError& error) {
      throw RuleError(line, std::string("flops, ") + error.what());
    }
  }
  return rules;
}

void UserRules::apply(std::string_view demangled, KernelFacts& facts) const {
  const std::string name(demangled.substr(0, kLongestName));
  for (const Rule& rule : rules_) {
    std::smatch match;
    if (!std::regex_search(name, match, rule.pattern)) continue;
    facts.kernel_class = rule.kernel_class;
    facts.rule_line = rule.line;
    if (!rule.flops) return;
    FlopsRule flops{*rule.flops, {}};
    for (std::size_t i = 1; i < match.size(); ++i) {
      double value = std::nan("");  // no number: then there is no count either
      const std::string capture = match[i].str();
      std::from_chars(capture.data(), capture.data() + capture.size(), value);
      flops.captures.push_back(value);
    }
    facts.flops_rule = std::make_shared<const FlopsRule>(std::move(flops));
    return;
  }
}

}  // namespace mfushim::knowledge
