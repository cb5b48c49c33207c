// Groups logs by the run that their facts name.
#include "model/build_run.hpp"

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "model/load_process.hpp"
#include "read/format_error.hpp"

namespace mfushim::model {

namespace {

namespace fs = std::filesystem;

std::int64_t start_of(const Process& process) {
  return process.integer_fact("start_unix_ns").value_or(0);
}

bool launched_anything(const Process& process) {
  return std::any_of(process.calls.begin(), process.calls.end(), [](const HostCall& call) {
    return call.kind == CallKind::kLaunch || call.kind == CallKind::kGraphLaunch;
  });
}

void add_ranks(Run& run, const Process& process) {
  Rank rank{.process = &process,
            .number = process.integer_fact("rank"),
            .device = std::nullopt,
            .work = nullptr};
  for (const auto& [device, work] : process.work) {
    rank.device = device;
    rank.work = &work;
    run.ranks.push_back(rank);
  }
  if (process.work.empty() && launched_anything(process)) run.ranks.push_back(rank);
}

void order_ranks(Run& run) {
  const auto key = [](const Rank& rank) {
    return std::tuple(!rank.number.has_value(), rank.number.value_or(0), rank.process->fact("host"),
                      rank.process->path, rank.device);
  };
  std::sort(run.ranks.begin(), run.ranks.end(),
            [&](const Rank& a, const Rank& b) { return key(a) < key(b); });
}

}  // namespace

std::vector<std::string> find_logs(const std::vector<std::string>& paths) {
  std::vector<std::string> logs;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      logs.push_back(path);
      continue;
    }
    std::vector<std::string> inside;
    for (const auto& entry : fs::directory_iterator(path, error))
      if (entry.path().extension() == ".mfl") inside.push_back(entry.path().string());
    if (error) throw read::FormatError::in_file(path, "cannot be listed: " + error.message());
    if (inside.empty())
      throw read::FormatError::in_file(path, "there is no log (*.mfl) in this directory");
    std::sort(inside.begin(), inside.end());
    logs.insert(logs.end(), inside.begin(), inside.end());
  }
  return logs;
}

std::vector<Run> build_runs(const std::vector<std::string>& logs) {
  std::map<std::string, Run> by_id;
  for (const std::string& log : logs) {
    auto process = load_process(log);
    Run& run = by_id[process->fact("run_id")];
    run.id = process->fact("run_id");
    add_ranks(run, *process);
    run.processes.push_back(std::move(process));
  }
  std::vector<Run> runs;
  for (auto& [id, run] : by_id) {
    order_ranks(run);
    runs.push_back(std::move(run));
  }
  const auto start = [](const Run& run) {
    std::int64_t first = start_of(*run.processes.front());
    for (const auto& process : run.processes) first = std::min(first, start_of(*process));
    return first;
  };
  std::stable_sort(runs.begin(), runs.end(),
                   [&](const Run& a, const Run& b) { return start(a) < start(b); });
  return runs;
}

}  // namespace mfushim::model
