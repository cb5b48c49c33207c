// The texts of FormatError: "FILE: what", "FILE:0x1a40: what" and "FILE:12: what".
#include "read/format_error.hpp"

#include <fmt/format.h>

namespace mfushim::read {

FormatError FormatError::in_file(const std::string& file, const std::string& what) {
  return FormatError(fmt::format("{}: {}", file, what));
}

FormatError FormatError::at_offset(const std::string& file, std::uint64_t offset,
                                   const std::string& what) {
  return FormatError(fmt::format("{}:{:#x}: {}", file, offset, what));
}

FormatError FormatError::at_line(const std::string& file, std::uint64_t line,
                                 const std::string& what) {
  return FormatError(fmt::format("{}:{}: {}", file, line, what));
}

}  // namespace mfushim::read
