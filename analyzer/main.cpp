// mfushim: turns the command line into one command, and every error into one line and an exit code.
#include <fmt/format.h>

#include <exception>

#include "commands/command.hpp"
#include "read/format_error.hpp"

int main(int argc, char** argv) {
  using namespace mfushim;
  try {
    return commands::run_command({argv + 1, argv + argc});
  } catch (const commands::UsageError& error) {
    fmt::print(stderr, "mfushim: {}\n", error.what());
    return commands::kExitUsage;
  } catch (const read::FormatError& error) {
    fmt::print(stderr, "mfushim: {}\n", error.what());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "mfushim: out of memory\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "mfushim: internal error: {}\n", error.what());
  }
  return commands::kExitError;
}
