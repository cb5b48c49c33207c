// What the recorder sees of one program: by its file, and by its log of a trial.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commands/doctor_findings.hpp"
#include "model/run.hpp"
#include "passes/coverage.hpp"

namespace mfushim::commands {

enum class RuntimeLink { kNone, kShared, kStatic };  // as far as the program's own file tells

struct Program {
  std::vector<std::string> command;
  std::string path;  // empty: not found
  std::string interpreter;
  RuntimeLink runtime = RuntimeLink::kNone;
  bool can_be_preloaded = true;

  // Of the trial.
  bool has_run = false;
  bool was_stopped = false;      // after the seconds that it had
  std::optional<int> exit_code;  // absent: a signal ended it
  std::uint64_t logs = 0;
  std::uint64_t launches = 0;
  std::uint64_t gpu_records = 0;
  std::vector<passes::Layer> layers;
  std::vector<model::LoadedModule> libraries;  // CUDA libraries in use
  std::string gpu_time_source;                 // empty: none
};

// Runs the command for so long at most, its output on stderr; its log is deleted afterwards.
Program try_program(const std::vector<std::string>& command, const std::string& recorder,
                    double seconds, std::vector<Finding>& findings);

}  // namespace mfushim::commands
