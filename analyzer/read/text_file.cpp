// Reads with the standard library, which says no more than that it failed.
#include "read/text_file.hpp"

#include <fstream>
#include <sstream>

#include "read/format_error.hpp"

namespace mfushim::read {

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw FormatError::in_file(path, "cannot be read");
  return text.str();
}

}  // namespace mfushim::read
