// `mfushim dump LOG`: a log as readable text on stdout, what could not be read on stderr.
#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include "commands/each.hpp"
#include "read/format_error.hpp"
#include "read/text_form.hpp"

namespace mfushim::commands {

int dump(const Arguments& arguments) {
  CLI::App app{"Prints a log as text, which `mfushim assemble` turns into a log again.",
               "mfushim dump"};
  std::string path;
  app.add_option("LOG", path, "the log")->required();
  if (!parse_arguments(app, arguments)) return kExitDone;
  read::LogReader reader(path);
  read::dump(reader, stdout);
  for (const read::Damage& damage : reader.damages())
    fmt::print(stderr, "mfushim: warning: {}:{:#x}: {} ({} bytes left out)\n", path, damage.offset,
               damage.what, damage.bytes);
  if (std::fflush(stdout) != 0) throw read::FormatError::in_file("stdout", "cannot be written");
  return kExitDone;
}

}  // namespace mfushim::commands
