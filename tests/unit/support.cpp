// Temporary folders and child processes for tests.
#include "support.hpp"

#include <stdlib.h>
#include <sys/wait.h>
#include <catch2/catch.hpp>

#include <fstream>
#include <sstream>

namespace mfushim::test {

namespace fs = std::filesystem;

TempFolder::TempFolder() {
  std::string name = (fs::temp_directory_path() / "mfushim-test-XXXXXX").string();
  REQUIRE(::mkdtemp(name.data()) != nullptr);
  folder_ = name;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::string TempFolder::path(std::string_view name) const {
  return (folder_ / name).string();
}

std::string TempFolder::file(std::string_view name, std::string_view content) const {
  std::ofstream(path(name), std::ios::binary) << content;
  return path(name);
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream content;
  content << in.rdbuf();
  return content.str();
}

Outcome mfushim(const std::vector<std::string>& arguments) {
  const TempFolder folder;
  // Not where other processes of the machine leave their rings.
  std::string line = "MFUSHIM_RING_DIR='" + folder.path("") + "' '" MFUSHIM_PROGRAM "'";
  for (const std::string& argument : arguments) {
    REQUIRE(argument.find('\'') == std::string::npos);
    line += " '" + argument + "'";
  }
  line += " >'" + folder.path("out") + "' 2>'" + folder.path("err") + "' </dev/null";
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(folder.path("out")),
          read_file(folder.path("err"))};
}

std::string assemble(const TempFolder& folder, std::string_view name, std::string_view text) {
  const std::string source = folder.file(std::string(name) + ".mfutxt", text);
  const std::string log = folder.path(std::string(name) + ".mfl");
  const Outcome outcome = mfushim({"assemble", source, "-o", log});
  INFO(outcome.errors);
  REQUIRE(outcome.exit_code == 0);
  return log;
}

}  // namespace mfushim::test
