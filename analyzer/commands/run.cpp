// `mfushim run -- COMMAND`: starts a program under the recorder, and becomes it.
#include <CLI/CLI.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "commands/command.hpp"
#include "commands/each.hpp"
#include "commands/recorder.hpp"

namespace mfushim::commands {

namespace {

// What a shell answers for a command that it cannot start, or cannot find.
constexpr int kCannotRun = 126;
constexpr int kNotFound = 127;

struct Setting {
  const char* option;
  const char* variable;
  const char* help;
  std::vector<std::string> choices;
  std::string value;
};

void hand_over(const std::vector<Setting>& settings) {
  for (const Setting& setting : settings)
    if (!setting.value.empty()) setenv(setting.variable, setting.value.c_str(), 1);
  unsetenv("MFUSHIM_DISABLE");
}

int become(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  const int why = errno;
  fmt::print(stderr, "mfushim: cannot run {}: {}\n", command[0], std::strerror(why));
  return why == ENOENT ? kNotFound : kCannotRun;
}

}  // namespace

int run(const Arguments& arguments) {
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  CLI::App app{"Runs COMMAND under the recorder. Its exit code is the command's.", "mfushim run"};
  app.footer("The command stands behind --, as in: mfushim run --out logs -- torchrun train.py");
  std::vector<Setting> settings = {
      {"--out", "MFUSHIM_OUT", "folder for the logs (mfushim-logs)", {}, {}},
      {"--gpu-time",
       "MFUSHIM_GPU_TIME",
       "where device times come from (auto)",
       {"auto", "cupti", "events", "off"},
       {}},
      {"--window",
       "MFUSHIM_WINDOW",
       "START:LENGTH[:PERIOD] of GPU timing, in seconds or as in 5steps",
       {},
       {}},
      {"--stacks",
       "MFUSHIM_STACKS",
       "call stacks (no effect in this version)",
       {"off", "sampled", "all"},
       {}},
      {"--max-bytes", "MFUSHIM_MAX_BYTES", "size of each log at most, as in 500M", {}, {}}};
  for (Setting& setting : settings) {
    CLI::Option* const option = app.add_option(setting.option, setting.value, setting.help);
    if (!setting.choices.empty()) option->check(CLI::IsMember(setting.choices));
  }
  if (!parse_arguments(app, {arguments.begin(), dashes})) return kExitDone;
  if (dashes == arguments.end() || dashes + 1 == arguments.end())
    throw UsageError("no command behind --, as in: mfushim run -- python train.py");
  preload(find_recorder());
  hand_over(settings);
  return become({dashes + 1, arguments.end()});
}

}  // namespace mfushim::commands
