// A small file as one text: configurations and rules that users write.
#pragma once

#include <string>

namespace mfushim::read {

// Throws FormatError when the file cannot be read.
std::string read_text(const std::string& path);

}  // namespace mfushim::read
