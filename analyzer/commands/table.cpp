// The list of commands, and how one of them is chosen.
#include <fmt/format.h>

#include <array>

#include "commands/command.hpp"
#include "commands/each.hpp"

namespace mfushim::commands {

namespace {

constexpr std::array kCommands = {
    Command{"run", "[options] -- COMMAND", "a program under the recorder", run},
    Command{"report", "LOGS... [options]", "where the GPU time of a run went", report},
    Command{"calc", "--gpu G --model M ...", "MFU of a configuration and a speed", calc},
    Command{"peak", "[--dtype D] -o FILE", "how fast this GPU multiplies matrices", peak},
    Command{"doctor", "[-- COMMAND]", "what of this machine or program can be seen", doctor},
    Command{"import", "kineto FILE... -o DIR", "traces of other recorders as logs", import_traces},
    Command{"explain", "[--json] NAME... | -", "what a kernel is, by its name", explain},
    Command{"dump", "LOG", "a log as readable text", dump},
    Command{"assemble", "TEXT -o LOG", "the log of such a text", assemble},
};

void print_usage(std::FILE* out) {
  fmt::print(out, "usage: mfushim COMMAND ...\n\n");
  for (const Command& c : kCommands)
    fmt::print(out, "  mfushim {:<10}{:<22} {}\n", c.name, c.usage, c.summary);
  fmt::print(out, "\n`mfushim COMMAND --help` lists the options of a command.\n");
}

}  // namespace

std::span<const Command> all_commands() {
  return kCommands;
}

int run_command(const Arguments& words) {
  if (words.empty()) {
    print_usage(stderr);
    return kExitUsage;
  }
  const std::string& name = words[0];
  if (name == "--help" || name == "-h" || name == "help") {
    print_usage(stdout);
    return kExitDone;
  }
  if (name == "--version") {
    fmt::print("mfushim {}\n", MFUSHIM_VERSION);
    return kExitDone;
  }
  std::vector<std::string> names;
  for (const Command& command : kCommands) {
    if (command.name == name) return command.run({words.begin() + 1, words.end()});
    names.emplace_back(command.name);
  }
  const std::string near = nearest(name, names);
  throw UsageError(fmt::format(
      "unknown command '{}'{}", name,
      near.empty() ? "; `mfushim --help` lists them" : fmt::format("; did you mean '{}'?", near)));
}

}  // namespace mfushim::commands
