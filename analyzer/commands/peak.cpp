// `mfushim peak`: measures this GPU with the helper program beside this one, which alone knows the
// vendor's interfaces.
#include <CLI/CLI.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "commands/command.hpp"
#include "commands/each.hpp"
#include "knowledge/enum_names.hpp"
#include "read/format_error.hpp"
#include "read/new_file.hpp"

namespace mfushim::commands {

namespace {

constexpr const char* kHelper = "mfushim-peak";

// Large enough for every GPU to reach what it can: tiles without number, k long, and matrices of
// which cache holds no part that matters. Not powers of two alone, some of which suit one GPU
// badly.
constexpr const char* kShapes = "8192x8192x8192,16384x8192x8192,8192x8192x16384,12288x12288x12288";

std::filesystem::path find_helper() {
  std::error_code ignored;
  const auto helper =
      std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / kHelper;
  if (std::filesystem::exists(helper, ignored)) return helper;
  throw read::FormatError::in_file(
      helper.string(), "not there: it is built where the vendor's headers are (scripts/build)");
}

// What the helper writes to its stdout; its messages go to ours. Throws when it fails.
std::string output_of(const std::filesystem::path& helper, const Arguments& arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw read::FormatError::in_file("pipe", std::strerror(errno));
  std::vector<char*> words = {const_cast<char*>(helper.c_str())};
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    execv(words[0], words.data());
    _exit(127);
  }
  close(ends[1]);
  std::string output;
  char piece[4096];
  for (ssize_t n = 0; (n = ::read(ends[0], piece, sizeof piece)) > 0;)
    output.append(piece, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
    throw read::FormatError::in_file(helper.filename().string(), "this GPU was not measured");
  return output;
}

}  // namespace

int peak(const Arguments& arguments) {
  CLI::App app{"Measures how fast this GPU multiplies matrices.", "mfushim peak"};
  std::string seconds = "20";
  std::vector<std::string> dtypes;
  std::string shapes = kShapes;
  std::string file;
  app.add_option("--seconds", seconds, "for how long in all (20)");
  app.add_option("--dtype", dtypes,
                 "bf16, f16, tf32, f32, f64, f8e4m3; may be repeated (bf16, f8e4m3)");
  app.add_option("--shapes", shapes, "MxNxK,... instead of several large ones");
  app.add_option("-o", file, "the file to write, for `report --peak measured:FILE`")->required();
  if (!parse_arguments(app, arguments)) return kExitDone;
  if (parse_number("--seconds", seconds) <= 0)
    throw UsageError("--seconds needs a positive number, not '" + seconds + "'");
  if (dtypes.empty()) dtypes = {"bf16", "f8e4m3"};
  std::string types;
  for (const std::string& dtype : dtypes) {
    if (!knowledge::value_of<format::DType>(dtype))
      throw UsageError("--dtype: unknown type '" + dtype + "'");
    types += (types.empty() ? "" : ",") + dtype;
  }
  const auto helper = find_helper();
  read::NewFile out(file);
  const std::string json = output_of(helper, {seconds, types, shapes});
  out.write({reinterpret_cast<const std::uint8_t*>(json.data()), json.size()});
  out.keep();
  return kExitDone;
}

}  // namespace mfushim::commands
