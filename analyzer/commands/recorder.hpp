// Where the recorder is, and how a program comes to start under it.
#pragma once

#include <filesystem>

namespace mfushim::commands {

// The recorder beside this program, or in the lib folder of the same installation. Throws
// FormatError when it is in neither.
std::filesystem::path find_recorder();

// In front of what is preloaded already, for what this process starts from now on.
void preload(const std::filesystem::path& recorder);

}  // namespace mfushim::commands
