// Reads the file that --rules names.
#include "commands/kernel_rules.hpp"

#include "read/format_error.hpp"
#include "read/text_file.hpp"

namespace mfushim::commands {

std::optional<knowledge::UserRules> read_kernel_rules(const std::string& path) {
  if (path.empty()) return std::nullopt;
  const std::string text = read::read_text(path);
  try {
    return knowledge::UserRules::parse(text);
  } catch (const knowledge::RuleError& error) {
    throw read::FormatError::at_line(path, error.line, error.what());
  }
}

}  // namespace mfushim::commands
