// `mfushim doctor [-- COMMAND]`: whether this machine, and a program on it, can be measured whole,
// and what to do where not.
#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "commands/command.hpp"
#include "commands/doctor_machine.hpp"
#include "commands/doctor_program.hpp"
#include "commands/each.hpp"
#include "report/json_values.hpp"
#include "report/text_format.hpp"

namespace mfushim::commands {

namespace {

using report::Json;
using report::print;

constexpr std::string_view runtime_name(RuntimeLink link) {
  switch (link) {
    case RuntimeLink::kNone:
      return "none";
    case RuntimeLink::kShared:
      return "shared";
    case RuntimeLink::kStatic:
      return "static";
  }
  return {};
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

Json json_of(const LibraryAnswer& answer) {
  Json json = {{"found", !answer.path.empty()}};
  if (!answer.path.empty()) json["path"] = answer.path;
  if (answer.version != 0) json["version"] = answer.version;
  if (!answer.problem.empty()) json["problem"] = answer.problem;
  return json;
}

Json json_of(const Machine& m) {
  Json json = {{"driver", json_of(m.probe.driver)}};
  json["devices"] = m.probe.devices;
  json["cupti"] = json_of(m.probe.cupti);
  json["nvml"] = json_of(m.probe.nvml);
  report::put(json, "profiling_is_restricted", m.profiling_is_restricted);
  json["glibc"] = m.glibc;
  json["ring_folder"] = m.ring_folder;
  report::put(json, "ring_folder_free_bytes", m.ring_folder_free);
  json["recorder"] = m.recorder;
  json["injections"] = Json::array();
  for (const Injection& injection : m.injections)
    json["injections"].push_back({{"variable", injection.variable},
                                  {"value", injection.value},
                                  {"interposes", injection.interposes}});
  return json;
}

Json json_of(const Program& p) {
  Json json = {{"command", p.command}};
  if (!p.path.empty()) json["path"] = p.path;
  if (!p.interpreter.empty()) json["interpreter"] = p.interpreter;
  json["runtime"] = runtime_name(p.runtime);
  json["has_run"] = p.has_run;
  if (!p.has_run) return json;
  json["was_stopped"] = p.was_stopped;
  report::put(json, "exit_code", p.exit_code);
  json.update({{"logs", p.logs}, {"launches", p.launches}, {"gpu_records", p.gpu_records}});
  if (!p.gpu_time_source.empty()) json["gpu_time_source"] = p.gpu_time_source;
  json["layers"] = Json::array();
  for (const passes::Layer& layer : p.layers)
    json["layers"].push_back({{"door", layer.door},
                              {"library", layer.library},
                              {"class", layer.call_class},
                              {"calls", layer.calls}});
  json["libraries"] = Json::array();
  for (const model::LoadedModule& module : p.libraries)
    json["libraries"].push_back(
        {{"role", module.role}, {"path", module.path}, {"version", module.version}});
  return json;
}

Json json_of(const Finding& finding) {
  return {{"id", finding.id},
          {"missing", finding.missing},
          {"what", finding.what},
          {"remedy", finding.remedy}};
}

void print_library(std::string& out, std::string_view name, const LibraryAnswer& answer) {
  print(out, "  {:<10}{}", name, answer.path.empty() ? "not found" : answer.path);
  if (answer.version != 0) print(out, ", version {}", answer.version);
  if (!answer.path.empty()) out += answer.problem.empty() ? ", usable" : ", not usable";
  out += '\n';
}

void print_machine(std::string& out, const Machine& m) {
  out += "MACHINE\n";
  print_library(out, "driver", m.probe.driver);
  for (const std::string& device : m.probe.devices) print(out, "  {:<10}{}\n", "GPU", device);
  if (m.probe.driver.problem.empty()) print_library(out, "CUPTI", m.probe.cupti);
  print_library(out, "NVML", m.probe.nvml);
  print(out, "  {:<10}{}\n", "glibc", m.glibc);
  if (m.ring_folder_free)
    print(out, "  {:<10}{}, {} MB free\n", "memory", m.ring_folder, *m.ring_folder_free >> 20);
  for (const Injection& injection : m.injections)
    print(out, "  {:<10}{}={}\n", "brought in", injection.variable, injection.value);
}

void print_program(std::string& out, const Program& p) {
  print(out, "PROGRAM    {}\n", joined(p.command));
  if (p.runtime != RuntimeLink::kNone)
    print(out, "  {:<10}CUDA runtime linked {}\n", "file",
          p.runtime == RuntimeLink::kStatic ? "statically" : "as a shared library");
  if (!p.has_run) return;
  print(out, "  {:<10}{}\n", "trial",
        p.was_stopped ? "stopped when its time was over"
        : p.exit_code ? fmt::format("ended with exit code {}", *p.exit_code)
                      : "ended by a signal");
  print(out, "  {:<10}{} of {}, {} of GPU work; GPU times from {}\n", "seen",
        report::plural(p.launches, "launch call"), report::plural(p.logs, "process log"),
        report::plural(p.gpu_records, "record"),
        p.gpu_time_source.empty() ? "nowhere" : p.gpu_time_source);
  for (const model::LoadedModule& module : p.libraries)
    print(out, "  {:<10}{} {}  {}\n", "library", module.role, module.version, module.path);
  for (const passes::Layer& layer : p.layers)
    print(out, "  {:<10}{}: {} by {}\n", "door", layer.door,
          report::plural(layer.calls, std::string(layer.call_class) + " call"),
          layer.library.empty() ? "code in no module" : layer.library);
}

void print_findings(std::string& out, const std::vector<Finding>& findings, bool complete) {
  for (const bool missing : {true, false})
    for (const Finding& finding : findings)
      if (finding.missing == missing)
        print(out, "{:<9}{}\n         remedy: {}\n", missing ? "MISSING" : "NOTE", finding.what,
              finding.remedy);
  out += complete ? "All of it will be recorded.\n" : "Something will be missing.\n";
}

}  // namespace

int doctor(const Arguments& arguments) {
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  CLI::App app{"Whether this machine, and COMMAND on it, can be measured. Exit code 1: not whole.",
               "mfushim doctor"};
  app.footer("A command stands behind --, as in: mfushim doctor -- python train.py");
  std::string seconds = "60";
  std::string parameters = "/proc/driver/nvidia/params";
  bool as_json = false;
  app.add_option("--seconds", seconds, "how long COMMAND may run at most (60)");
  app.add_option("--driver-parameters", parameters,
                 "the kernel module's, where they are elsewhere");
  app.add_flag("--json", as_json, "all of it as JSON (mfushim.doctor/1)");
  if (!parse_arguments(app, {arguments.begin(), dashes})) return kExitDone;
  const double limit = parse_number("--seconds", seconds);
  if (!(limit > 0 && limit < 1e6))
    throw UsageError("--seconds needs a positive number, not '" + seconds + "'");
  if (dashes != arguments.end() && dashes + 1 == arguments.end())
    throw UsageError("no command behind --, as in: mfushim doctor -- python train.py");

  const Machine machine = examine_machine(parameters);
  std::vector<Finding> of_program;
  std::optional<Program> program;
  if (dashes != arguments.end())
    program = try_program({dashes + 1, arguments.end()}, machine.recorder, limit, of_program);
  std::vector<Finding> findings = judge(machine, program && program->has_run);
  findings.insert(findings.end(), of_program.begin(), of_program.end());
  const bool complete = std::ranges::none_of(findings, &Finding::missing);
  if (as_json) {
    Json json = {{"schema", "mfushim.doctor/1"}, {"complete", complete}};
    json["machine"] = json_of(machine);
    if (program) json["program"] = json_of(*program);
    json["findings"] = Json::array();
    for (const Finding& finding : findings) json["findings"].push_back(json_of(finding));
    std::cout << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  } else {
    std::string out;
    print_machine(out, machine);
    if (program) print_program(out, *program);
    print_findings(out, findings, complete);
    std::cout << out;
  }
  return complete ? kExitDone : kExitError;
}

}  // namespace mfushim::commands
