// The one error of the analyzer: what is wrong in which file, and where. `main` prints its text.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace mfushim::read {

class FormatError : public std::runtime_error {
 public:
  static FormatError in_file(const std::string& file, const std::string& what);
  static FormatError at_offset(const std::string& file, std::uint64_t offset,
                               const std::string& what);
  static FormatError at_line(const std::string& file, std::uint64_t line, const std::string& what);

 private:
  using std::runtime_error::runtime_error;
};

}  // namespace mfushim::read
