// Tells files from names, misspelt names from unknown ones, and flags from what logs say.
#include "commands/model_options.hpp"

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "commands/command.hpp"
#include "knowledge/measured_peaks.hpp"
#include "knowledge/model_config.hpp"
#include "knowledge/text.hpp"
#include "read/format_error.hpp"
#include "read/text_file.hpp"

namespace mfushim::commands {

namespace {

namespace fs = std::filesystem;

std::string suggestion_for(const std::string& name) {
  std::vector<std::string> keys;
  std::vector<std::string> names;
  for (const knowledge::KnownModel& model : knowledge::all_models()) {
    keys.push_back(knowledge::model_key(model.shape.name));
    names.push_back(model.shape.name);
  }
  const std::string near = nearest(knowledge::model_key(name), keys);
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (!near.empty() && keys[i] == near) return fmt::format("; did you mean '{}'?", names[i]);
  return "; give a config.json, or the dimensions";
}

// The first process's that has the fact.
std::string fact_of(const model::Run& run, std::string_view key) {
  for (const auto& process : run.processes)
    if (!process->fact(key).empty()) return process->fact(key);
  return {};
}

double positive(std::string_view option, const std::string& text) {
  const double value = parse_number(option, text);
  if (value <= 0)
    throw UsageError(fmt::format("{} needs a positive number, not '{}'", option, text));
  return value;
}

// From a flag, else from the log, where what is no number is a problem and no error.
std::optional<double> number_of(const std::string& flag, std::string_view option,
                                const model::Run& run, std::string_view key, std::string& problem) {
  if (!flag.empty()) return positive(option, flag);
  const std::string logged = fact_of(run, key);
  if (logged.empty()) return std::nullopt;
  const auto value = knowledge::parse_number(logged);
  if (value && *value > 0) return value;
  problem = fmt::format("the log's {} is '{}', which is no number", key, logged);
  return std::nullopt;
}

}  // namespace

knowledge::ModelShape load_model(const std::string& file_or_name) {
  std::error_code ignored;
  fs::path path = file_or_name;
  if (fs::is_directory(path, ignored)) path /= "config.json";
  if (!fs::exists(path, ignored)) {
    if (path.extension() == ".json") throw read::FormatError::in_file(path.string(), "not found");
    if (const knowledge::KnownModel* model = knowledge::find_model(file_or_name))
      return model->shape;
    throw UsageError(
        fmt::format("unknown model '{}'{}", file_or_name, suggestion_for(file_or_name)));
  }
  auto model = knowledge::parse_model_config(read::read_text(path.string()));
  if (!model.problem.empty()) throw read::FormatError::in_file(path.string(), model.problem);
  if (model.shape.name.empty()) model.shape.name = fs::absolute(path).parent_path().filename();
  return model.shape;
}

void ModelFlags::add_to(CLI::App& app) {
  app.add_option("--model", model, "a config.json, or the name of a well-known model");
  app.add_option("--params", params, "or: how many parameters it has, as in 7e9");
  app.add_option("--seq", seq, "tokens of a sequence");
  app.add_option("--tokens-per-step", tokens_per_step, "tokens of a step of the whole job");
  app.add_option("--mtp", mtp, "layers that predict further tokens (default 0)");
}

passes::ModelFacts find_model_facts(const ModelFlags& flags, const model::Run& run) {
  passes::ModelFacts facts;
  if (!flags.params.empty()) facts.work.params = positive("--params", flags.params);
  if (!flags.mtp.empty()) {
    facts.work.mtp = parse_number("--mtp", flags.mtp);
    if (facts.work.mtp < 0 || facts.work.mtp != std::floor(facts.work.mtp))
      throw UsageError("--mtp needs a whole number, not '" + flags.mtp + "'");
  }
  if (!flags.model.empty()) {
    facts.work.shape = load_model(flags.model);
    facts.name = facts.work.shape.name;
  } else if (!facts.work.params) {
    facts.name = fact_of(run, "model");
    try {
      if (!facts.name.empty()) facts.work.shape = load_model(facts.name);
      if (!facts.work.shape.name.empty()) facts.name = facts.work.shape.name;
    } catch (const std::runtime_error& error) {
      facts.problem = error.what();
    }
  }
  if (!flags.seq.empty() && positive("--seq", flags.seq) < 1)
    throw UsageError("--seq needs at least one token");
  facts.work.seq = number_of(flags.seq, "--seq", run, "seq", facts.problem).value_or(0);
  facts.tokens_per_step =
      number_of(flags.tokens_per_step, "--tokens-per-step", run, "tokens_per_step", facts.problem);
  return facts;
}

void parse_peak(const std::string& text, passes::EfficiencyOptions& options) {
  constexpr std::string_view kMeasured = "measured:";
  if (text == "auto" || text == "datasheet") return;
  if (text == "clock") {
    options.by_clock = true;
    return;
  }
  if (!text.starts_with(kMeasured)) {
    options.peak_flops_per_s = positive("--peak", text) * 1e12;
    return;
  }
  const std::string path = text.substr(kMeasured.size());
  options.measured = knowledge::parse_measured_peaks(read::read_text(path));
  if (options.measured.empty())
    throw read::FormatError::in_file(path, "no measured peaks, as `mfushim peak` writes them");
}

}  // namespace mfushim::commands
