// Finds the recorder by this program's own path, so that a moved installation works.
#include "commands/recorder.hpp"

#include <cstdlib>
#include <string>

#include "read/format_error.hpp"

namespace mfushim::commands {

namespace {

namespace fs = std::filesystem;

constexpr const char* kRecorder = "libmfushim.so";

}  // namespace

fs::path find_recorder() {
  std::error_code ignored;
  const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const fs::path& place : {folder / kRecorder, folder.parent_path() / "lib" / kRecorder})
    if (fs::exists(place, ignored)) return place;
  throw read::FormatError::in_file((folder / kRecorder).string(),
                                   "the recorder is neither here nor in ../lib");
}

void preload(const fs::path& recorder) {
  // LD_PRELOAD is split at both, and nothing quotes them.
  if (recorder.string().find_first_of(" :") != std::string::npos)
    throw read::FormatError::in_file(recorder.string(),
                                     "cannot be preloaded from a path with a space or a colon");
  std::string value = recorder.string();
  const char* const others = std::getenv("LD_PRELOAD");
  if (others != nullptr && *others != '\0') value += std::string(":") + others;
  setenv("LD_PRELOAD", value.c_str(), 1);
}

}  // namespace mfushim::commands
