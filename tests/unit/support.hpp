// What tests of files and command lines share: a folder that goes away, bytes, and mfushim as a
// user calls it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace mfushim::test {

class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string path(std::string_view name) const;
  // Writes a file and returns its path.
  std::string file(std::string_view name, std::string_view content) const;

 private:
  std::filesystem::path folder_;
};

std::string read_file(const std::string& path);

struct Outcome {
  int exit_code = -1;
  std::string output;
  std::string errors;
};

// Runs the program that the build made.
Outcome mfushim(const std::vector<std::string>& arguments);

// The path of a log assembled of `text`; fails the test when that fails.
std::string assemble(const TempFolder& folder, std::string_view name, std::string_view text);

}  // namespace mfushim::test
