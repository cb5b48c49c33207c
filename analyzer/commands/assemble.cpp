// `mfushim assemble TEXT -o LOG`: makes a log of what `mfushim dump` printed, or of a text by hand.
#include <CLI/CLI.hpp>

#include "commands/each.hpp"
#include "read/text_form.hpp"

namespace mfushim::commands {

int assemble(const Arguments& arguments) {
  CLI::App app{"Makes a log of its text form. An existing file is not overwritten.",
               "mfushim assemble"};
  std::string text;
  std::string log;
  app.add_option("TEXT", text, "the text, as `mfushim dump` prints it")->required();
  app.add_option("-o,--output", log, "the log to make")->required();
  if (!parse_arguments(app, arguments)) return kExitDone;
  read::assemble(text, log);
  return kExitDone;
}

}  // namespace mfushim::commands
