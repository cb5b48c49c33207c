// Reads kernel_classes.csv once; its head says what a pattern is.
#include "knowledge/kernels/rules.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "knowledge/csv.hpp"
#include "knowledge/data_files.hpp"

namespace mfushim::knowledge {

namespace {

// One part of a pattern: any of its words, in one place of the name.
struct Part {
  const NameWords KernelNameParts::*place = &KernelNameParts::base_words;
  bool negated = false;
  std::vector<std::string> words;

  bool fits(const KernelNameParts& name) const {
    const NameWords& there = name.*place;
    return std::any_of(words.begin(), words.end(),
                       [&](const std::string& word) { return there.has(word); }) != negated;
  }
};

struct Rule {
  std::string kernel_class;
  std::vector<Part> parts;
};

Part make_part(std::string_view text) {
  Part part;
  if (text.starts_with('!')) {
    part.negated = true;
    text.remove_prefix(1);
  }
  if (text.starts_with('<')) part.place = &KernelNameParts::template_words;
  if (text.starts_with('(')) part.place = &KernelNameParts::parameter_words;
  if (part.place != &KernelNameParts::base_words) text.remove_prefix(1);
  if (text.ends_with("::")) {
    part.place = &KernelNameParts::scope_words;
    text.remove_suffix(2);
  }
  for (const std::string_view word : split_at(text, '|')) part.words.emplace_back(word);
  return part;
}

std::vector<Rule> make_rules() {
  std::vector<Rule> rules;
  for (const CsvRow& row : parse_csv(kKernelClassesCsv)) {
    Rule& rule = rules.emplace_back(Rule{row.find("class")->second, {}});
    for (const std::string_view part : split_at(row.find("pattern")->second, ' '))
      rule.parts.push_back(make_part(part));
  }
  return rules;
}

}  // namespace

std::string_view class_by_rules(const KernelNameParts& name) {
  static const std::vector<Rule> rules = make_rules();
  for (const Rule& rule : rules)
    if (std::all_of(rule.parts.begin(), rule.parts.end(),
                    [&](const Part& part) { return part.fits(name); }))
      return rule.kernel_class;
  return {};
}

}  // namespace mfushim::knowledge
