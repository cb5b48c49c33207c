// `mfushim explain NAME...`: what the names of kernels say about them.
#include <CLI/CLI.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iostream>

#include "commands/each.hpp"
#include "commands/kernel_rules.hpp"
#include "knowledge/kernels/kernel.hpp"
#include "read/format_error.hpp"

namespace mfushim::commands {

namespace {

using Json = nlohmann::ordered_json;
using knowledge::KernelFacts;
using knowledge::Pipe;

std::string arch_text(const KernelFacts& facts) {
  return fmt::format("sm{}{}", facts.arch, facts.arch_or_later ? "+" : "");
}

std::string tile_text(const KernelFacts& facts) {
  std::string text = fmt::format("{}x{}", facts.tile_m, facts.tile_n);
  if (facts.tile_k != 0) text += fmt::format("x{}", facts.tile_k);
  return text;
}

// What the name tells, in the order in which it is of interest; the rest is absent.
Json facts_json(const KernelFacts& facts) {
  Json json = {{"class", facts.kernel_class}};
  const auto put_word = [&](const char* key, std::string_view word) {
    if (!word.empty()) json[key] = word;
  };
  const auto put_number = [&](const char* key, std::uint64_t number) {
    if (number != 0) json[key] = number;
  };
  const auto put_flag = [&](const char* key, bool flag) {
    if (flag) json[key] = true;
  };
  put_word("family", facts.family);
  put_word("dtype", facts.dtype);
  put_word("accumulate", facts.accumulate);
  put_word("output", facts.output);
  if (facts.arch != 0) json["arch"] = arch_text(facts);
  if (facts.pipe != Pipe::kUnknown)
    json["pipe"] = facts.pipe == Pipe::kTensorCore ? "tensor" : "simt";
  if (facts.tile_m != 0) json["tile"] = tile_text(facts);
  put_number("stages", facts.stages);
  put_word("cluster", facts.cluster);
  put_word("layout", facts.layout);
  put_number("alignment", facts.alignment);
  put_flag("split_k", facts.split_k);
  put_number("head_dim", facts.head_dim);
  if (facts.value_dim != facts.head_dim) put_number("value_dim", facts.value_dim);
  put_flag("causal", facts.causal);
  put_flag("backward", facts.backward);
  put_number("n", facts.shape_n);
  put_number("k", facts.shape_k);
  put_number("rule", facts.rule_line);
  return json;
}

Json explain_name(const std::string& name, const knowledge::UserRules* rules) {
  const std::string demangled = knowledge::demangle(name);
  Json json = {{"name", name}};
  if (demangled != name) json["demangled"] = demangled;
  json.update(facts_json(knowledge::describe_kernel(demangled, rules)));
  return json;
}

std::string value_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_boolean() ? "yes" : value.dump();
}

void print_text(const Json& kernel) {
  fmt::print("{}\n", kernel["name"].get<std::string>());
  for (const auto& [key, value] : kernel.items())
    if (key != "name") fmt::print("  {:<11} {}\n", key, value_text(value));
}

std::vector<std::string> names_of(const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const std::string& word : words) {
    if (word != "-") {
      names.push_back(word);
      continue;
    }
    for (std::string line; std::getline(std::cin, line);) {
      if (line.ends_with('\r')) line.pop_back();
      if (!line.empty()) names.push_back(line);
    }
  }
  return names;
}

}  // namespace

int explain(const Arguments& arguments) {
  CLI::App app{
      "Says what kernels are by their names: mfushim explain [--json] KERNEL_NAME... | -, where - "
      "reads "
      "names from stdin, one a line.",
      "mfushim explain"};
  bool json = false;
  std::string rules_path;
  app.add_flag("--json", json, "as JSON");
  app.add_option("--rules", rules_path, kKernelRulesHelp);
  // Names are kept from the parser, to which brackets and commas mean something.
  Arguments words;
  Arguments options;
  for (auto word = arguments.begin(); word != arguments.end(); ++word) {
    const bool option = word->size() > 1 && word->starts_with('-');
    (option ? options : words).push_back(*word);
    if (*word == "--rules" && word + 1 != arguments.end()) options.push_back(*++word);
  }
  if (!parse_arguments(app, options)) return kExitDone;
  if (words.empty()) throw UsageError("explain needs names of kernels, or - for stdin");

  const auto rules = read_kernel_rules(rules_path);
  Json kernels = Json::array();
  for (const std::string& name : names_of(words))
    kernels.push_back(explain_name(name, rules ? &*rules : nullptr));
  if (json)
    fmt::print("{}\n",
               Json{{"kernels", kernels}}.dump(2, ' ', false, Json::error_handler_t::replace));
  else
    for (const Json& kernel : kernels) print_text(kernel);
  if (std::fflush(stdout) != 0) throw read::FormatError::in_file("stdout", "cannot be written");
  return kExitDone;
}

}  // namespace mfushim::commands
