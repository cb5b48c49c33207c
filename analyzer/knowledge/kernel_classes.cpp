// Matches kernel names against the rules of kernel_classes.csv.
#include "knowledge/kernel_classes.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <vector>

#include "knowledge/csv.hpp"
#include "knowledge/data_files.hpp"

namespace mfushim::knowledge {

namespace {

struct Rule {
  std::string name;
  std::vector<std::string> parts;
};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::vector<Rule> make_rules() {
  constexpr std::string_view kAnd = " & ";
  std::vector<Rule> rules;
  for (const CsvRow& row : parse_csv(kKernelClassesCsv)) {
    Rule& rule = rules.emplace_back(Rule{row.find("class")->second, {}});
    std::string_view pattern = row.find("pattern")->second;
    for (std::size_t end; (end = pattern.find(kAnd)) != std::string_view::npos;) {
      rule.parts.push_back(lower(pattern.substr(0, end)));
      pattern.remove_prefix(end + kAnd.size());
    }
    rule.parts.push_back(lower(pattern));
  }
  return rules;
}

}  // namespace

std::string demangle(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) : name;
}

std::string_view kernel_class(std::string_view demangled) {
  static const std::vector<Rule> rules = make_rules();
  const std::string text = lower(demangled);
  for (const Rule& rule : rules) {
    bool fits = true;
    for (const std::string& part : rule.parts) fits = fits && text.find(part) != std::string::npos;
    if (fits) return rule.name;
  }
  return {};
}

bool is_product_class(std::string_view kernel_class) {
  return kernel_class == "gemm" || kernel_class == "grouped_gemm" || kernel_class == "gemv" ||
         kernel_class == "attention" || kernel_class == "conv";
}

}  // namespace mfushim::knowledge
