// Groups logs by the run that their facts name.
#include "model/build_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
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
            .work = nullptr,
            .windows = nullptr};
  for (const auto& [device, work] : process.work) {
    rank.device = device;
    rank.work = &work;
    rank.windows = &process.windows.at(device);
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

// The hash of the first communicator of all ranks; empty where the process made none. Where the
// number of ranks is not known, the largest communicator is taken for it.
std::string world_hash(Process& process) {
  const auto world_size = process.integer_fact("world_size");
  std::uint64_t hash = 0;
  std::int64_t largest = 1;
  process.communicators.for_each([&](std::uint32_t, const CommunicatorInfo& communicator) {
    if (communicator.hash == 0 || communicator.size <= largest) return;
    if (world_size && communicator.size != *world_size) return;
    largest = communicator.size;
    hash = communicator.hash;
  });
  return hash == 0 ? std::string() : fmt::format("{:016x}", hash);
}

// One run_id may stand for runs that follow each other (a script's process group), and the
// processes of one run may have several (a group a host): a communicator of all ranks tells better.
std::vector<Run> group_processes(std::vector<std::unique_ptr<Process>> processes) {
  std::map<std::string, std::set<std::string>> hashes_of_id;
  for (const auto& process : processes)
    if (const std::string hash = world_hash(*process); !hash.empty())
      hashes_of_id[process->fact("run_id")].insert(hash);
  std::map<std::string, Run> by_key;
  for (auto& process : processes) {
    const std::string& id = process->fact("run_id");
    const auto hashes = hashes_of_id.find(id);
    std::string key = world_hash(*process);
    if (key.empty() && hashes != hashes_of_id.end() && hashes->second.size() == 1)
      key = *hashes->second.begin();
    Run& run = by_key[key.empty() ? "id:" + id : "nccl:" + key];
    if (run.processes.empty() || id < run.id) run.id = id;
    add_ranks(run, *process);
    run.processes.push_back(std::move(process));
  }
  std::map<std::string, int> uses;
  for (const auto& [key, run] : by_key) ++uses[run.id];
  std::vector<Run> runs;
  for (auto& [key, run] : by_key) {
    if (uses[run.id] > 1 && key.starts_with("nccl:")) run.id += "#" + key.substr(5);
    runs.push_back(std::move(run));
  }
  return runs;
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

std::vector<Run> build_runs(const std::vector<std::string>& logs,
                            const knowledge::UserRules* rules) {
  std::vector<std::unique_ptr<Process>> processes;
  for (const std::string& log : logs) processes.push_back(load_process(log, rules));
  std::vector<Run> runs = group_processes(std::move(processes));
  for (Run& run : runs) order_ranks(run);
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
