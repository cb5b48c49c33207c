// `mfushim report LOGS...`: the answer of a run, as text or JSON.
#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <cmath>
#include <iostream>

#include "commands/each.hpp"
#include "commands/kernel_rules.hpp"
#include "commands/model_options.hpp"
#include "knowledge/enum_names.hpp"
#include "model/build_run.hpp"
#include "passes/analysis.hpp"
#include "passes/step_range.hpp"
#include "read/format_error.hpp"
#include "read/ring_recovery.hpp"
#include "report/json_report.hpp"
#include "report/text_report.hpp"

namespace mfushim::commands {

namespace {

struct Options {
  std::vector<std::string> logs;
  std::string run;
  ModelFlags model;
  std::string peak = "auto";
  std::string dtype;
  std::string view = "exact";
  std::string steps;
  std::string rules;
  bool json = false;
};

passes::View parse_view(const std::string& name) {
  if (name == "exact") return passes::View::kExact;
  if (name == "hta") return passes::View::kHta;
  if (name == "tracelens") return passes::View::kTracelens;
  throw UsageError("--view is one of exact, hta, tracelens, not '" + name + "'");
}

passes::AnalysisOptions analysis_options(const Options& options) {
  passes::AnalysisOptions result;
  result.view = parse_view(options.view);
  parse_peak(options.peak, result.efficiency);
  if (!options.dtype.empty()) {
    result.efficiency.dtype = knowledge::value_of<format::DType>(options.dtype);
    if (!result.efficiency.dtype) throw UsageError("--dtype: unknown type '" + options.dtype + "'");
  }
  return result;
}

std::optional<passes::StepRange> parse_steps(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) throw UsageError("--steps needs A:B, not '" + text + "'");
  const auto index = [](const std::string& part, std::size_t otherwise) {
    if (part.empty()) return otherwise;
    const double value = parse_number("--steps", part);
    if (value < 0 || value != std::floor(value) || value > 1e15)
      throw UsageError("--steps counts from 0, not '" + part + "'");
    return static_cast<std::size_t>(value);
  };
  const passes::StepRange range{index(text.substr(0, colon), 0),
                                index(text.substr(colon + 1), passes::StepRange::kLast)};
  if (range.first >= range.last) throw UsageError("--steps '" + text + "' contains no step");
  return range;
}

std::string shown_id(const model::Run& run) {
  return run.id.empty() ? "unnamed" : run.id;
}

// Several runs in one place are not one: the user says which.
model::Run& choose_run(std::vector<model::Run>& runs, const std::string& wanted) {
  if (wanted == "latest") return runs.back();
  if (wanted.empty() && runs.size() == 1) return runs.front();
  model::Run* chosen = nullptr;
  std::string list;
  for (model::Run& run : runs) {
    list += fmt::format("\n  {}  {} logs, {} ranks  {}", shown_id(run), run.processes.size(),
                        run.ranks.size(), run.processes.front()->fact("command"));
    if (!wanted.empty() && shown_id(run) == wanted) chosen = &run;
  }
  if (chosen) return *chosen;
  if (wanted.empty())
    throw UsageError(
        fmt::format("these logs are of {} runs: choose one with --run ID, or --run "
                    "latest{}",
                    runs.size(), list));
  throw UsageError(fmt::format("there is no run '{}' among these logs:{}", wanted, list));
}

void warn_of_gaps(const passes::CoverageResult& coverage) {
  for (const passes::Gap& gap : coverage.gaps)
    fmt::print(stderr, "mfushim: warning: {}: {}; missing time: {}\n", gap.file, gap.what,
               gap.missing_ns ? fmt::format("{} ns", *gap.missing_ns) : "not known");
}

// Logs of processes that were killed on this host may lack what lies in their rings.
void complete_logs() {
  for (const read::RecoveredRing& ring : read::recover_rings()) {
    if (ring.problem.empty())
      fmt::print(stderr, "mfushim: {}: {} records of the killed process added\n", ring.log,
                 ring.records);
    else
      fmt::print(stderr, "mfushim: warning: {} holds records of a killed process, but {}\n",
                 ring.ring, ring.problem);
  }
}

}  // namespace

int report(const Arguments& arguments) {
  CLI::App app{"Says where the GPU time of a run went.", "mfushim report"};
  Options options;
  app.add_option("LOGS", options.logs, "logs, or directories of them")->required();
  app.add_option("--run", options.run, "the run to report where the logs are of several; `latest`");
  options.model.add_to(app);
  app.add_option(
      "--peak", options.peak,
      "peak of the GPU: auto, datasheet, clock (the data sheet's at the clock that the GPU "
      "ran at), measured:FILE, or dense TFLOP/s as a number");
  app.add_option("--dtype", options.dtype, "element type of the peak: bf16, f16, tf32, f32, ...");
  app.add_option("--view", options.view, "exact, or as other tools count: hta, tracelens");
  app.add_option("--steps", options.steps,
                 "only steps A:B: from A, counted from 0, to before B; either may be left out");
  app.add_option("--rules", options.rules, kKernelRulesHelp);
  app.add_flag("--json", options.json, "the report as JSON (mfushim.report/1)");
  if (!parse_arguments(app, arguments)) return kExitDone;

  passes::AnalysisOptions how = analysis_options(options);
  const auto steps = parse_steps(options.steps);
  const auto rules = read_kernel_rules(options.rules);
  complete_logs();
  auto runs = model::build_runs(model::find_logs(options.logs), rules ? &*rules : nullptr);
  model::Run& run = choose_run(runs, options.run);
  if (steps && !(how.steps = passes::narrow_to_steps(run, *steps)))
    throw UsageError("--steps " + options.steps + ": the run has no such steps");
  how.model = find_model_facts(options.model, run);
  const auto analysis = passes::analyze(run, how);
  warn_of_gaps(analysis.coverage);
  if (options.json)
    std::cout << report::json_report(analysis).dump(
                     2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
              << '\n';
  else
    std::cout << report::text_report(analysis);
  if (!std::cout.flush()) throw read::FormatError::in_file("stdout", "cannot be written");
  return kExitDone;
}

}  // namespace mfushim::commands
