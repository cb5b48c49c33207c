// What every command is to `main`: a row of the table in table.cpp.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace mfushim::commands {

using Arguments = std::vector<std::string>;  // behind the command's name

// Wrong use of the command line: exit code 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline constexpr int kExitDone = 0;
inline constexpr int kExitError = 1;
inline constexpr int kExitUsage = 2;

struct Command {
  std::string_view name;
  std::string_view usage;
  std::string_view summary;
  int (*run)(const Arguments& arguments);  // returns the exit code; throws UsageError, FormatError
};

std::span<const Command> all_commands();

// Runs the command that `words` (the program's arguments) ask for and returns the exit code.
int run_command(const Arguments& words);

// Parses with CLI11. False: help was asked for and printed. Throws UsageError, with a suggestion
// where a known option is near.
bool parse_arguments(CLI::App& app, const Arguments& arguments);

// A number as people write it: 7e9, 4096, 0.5. Throws UsageError that names `option`.
double parse_number(std::string_view option, const std::string& text);

// The candidate that `word` most likely meant, or empty.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace mfushim::commands
