// Helpers of the engine's tests.
#include "engine_log.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "read/log_reader.hpp"

namespace mfushim::test {

namespace {

namespace fs = std::filesystem;

struct Collector {
  LogContent& log;

  void records(std::uint32_t lane, std::span<const format::Launch> launches) {
    for (const format::Launch& launch : launches) {
      log.launches[lane].push_back(launch);
      if (!log.configs.contains(launch.subject) || !log.names.contains(launch.api))
        log.undefined_use = true;
    }
  }
  void records(std::uint32_t, std::span<const format::Fact> facts) {
    for (const auto& fact : facts) log.facts[std::string(fact.key)] = fact.value;
  }
  void records(std::uint32_t, std::span<const format::Name> names) {
    for (const auto& name : names) log.names[name.id] = name.text;
  }
  void records(std::uint32_t, std::span<const format::LaunchConfig> configs) {
    for (const auto& config : configs) log.configs[config.id] = config;
  }
  void records(std::uint32_t, std::span<const format::Loss> losses) {
    for (const auto& loss : losses) log.lost[loss.cause] += loss.count;
  }
  void records(std::uint32_t, std::span<const format::ClockAnchor> anchors) {
    log.anchors.insert(log.anchors.end(), anchors.begin(), anchors.end());
  }
  void records(std::uint32_t, std::span<const format::Coverage> rows) {
    for (const auto& row : rows)
      log.coverage[std::string(row.door) + " " + std::string(row.library) + " " +
                   std::string(row.api)] = row.count;
  }
  void records(std::uint32_t, std::span<const format::Cost> costs) {
    for (const auto& cost : costs) log.costs[std::string(cost.what)] = cost.count;
  }
  template <class Record>
  void records(std::uint32_t, std::span<const Record>) {}
  void unknown(const format::BlockHeader&, std::span<const std::uint8_t>) {}
};

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

TemporaryFolder::TemporaryFolder(const std::string& in) {
  std::string name = in + "/mfushim-test-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

ProbeRun run_probe(const std::string& environment, const std::string& arguments) {
  const TemporaryFolder folder;
  const std::string out = folder.path() + "/out", err = folder.path() + "/err";
  // exec: the status is the probe's own, signal included.
  const std::string command =
      "env " + environment + " " MFUSHIM_ENGINE_PROBE " " + arguments + " > " + out + " 2> " + err;
  ProbeRun run;
  run.status = std::system(("exec " + command).c_str());
  std::istringstream numbers(text_of(out));
  for (long number; numbers >> number;) run.counts.push_back(number);
  run.errors = text_of(err);
  return run;
}

std::uint64_t LogContent::launch_count() const {
  std::uint64_t n = 0;
  for (const auto& [lane, records] : launches) n += records.size();
  return n;
}

std::vector<LogContent> read_logs(const std::string& folder) {
  std::vector<LogContent> logs;
  if (!fs::exists(folder)) return logs;
  for (const auto& entry : fs::directory_iterator(folder)) {
    LogContent log;
    log.path = entry.path();
    read::LogReader reader(log.path);
    Collector collector{log};
    while (reader.next()) reader.blocks(collector);
    log.ended_in_order = reader.ended_in_order();
    log.damages = reader.damages().size();
    logs.push_back(std::move(log));
  }
  std::sort(logs.begin(), logs.end(),
            [](const auto& a, const auto& b) { return a.launch_count() > b.launch_count(); });
  return logs;
}

}  // namespace mfushim::test
