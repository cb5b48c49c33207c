// Runs the engine's probe in a folder of its own and reads the logs that it leaves.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "mfushim/format/records.hpp"

namespace mfushim::test {

// A folder that is gone with this object.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& in = "/tmp");
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct ProbeRun {
  int status = 0;            // as waitpid gives it
  std::vector<long> counts;  // the numbers that it printed
  std::string errors;        // its stderr
};

// `environment`: NAME=VALUE words before the command, as a shell takes them.
ProbeRun run_probe(const std::string& environment, const std::string& arguments);

// What one log holds.
struct LogContent {
  std::string path;
  bool ended_in_order = false;
  std::size_t damages = 0;
  std::map<std::string, std::string> facts;
  std::map<std::uint32_t, std::string> names;
  std::map<std::uint32_t, format::LaunchConfig> configs;
  std::map<std::uint32_t, std::vector<format::Launch>> launches;  // by thread
  std::map<format::LossCause, std::uint64_t> lost;
  std::vector<format::ClockAnchor> anchors;
  std::map<std::string, std::uint64_t> coverage;  // by door, library and name
  std::map<std::string, std::uint64_t> costs;     // counts
  bool undefined_use = false;                     // an id before its definition

  std::uint64_t launch_count() const;
};

std::vector<LogContent> read_logs(const std::string& folder);

}  // namespace mfushim::test
