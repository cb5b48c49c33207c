// `mfushim import kineto FILE... -o DIR`: traces of other recorders as logs, all of them or none.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <random>
#include <string_view>

#include "commands/each.hpp"
#include "read/format_error.hpp"
#include "read/import_kineto.hpp"

namespace mfushim::commands {

namespace {

using read::FormatError;

// Logs under temporary names, which become visible together; those not published are removed.
class NewLogs {
 public:
  explicit NewLogs(std::string folder) : folder_(std::move(folder)) {}
  NewLogs(const NewLogs&) = delete;
  NewLogs& operator=(const NewLogs&) = delete;
  ~NewLogs() {
    for (const Log& log : logs_) ::unlink(log.visible ? log.path.c_str() : log.temporary.c_str());
  }

  void add(const std::string& trace) {
    const std::string path = fmt::format("{}/{}.mfl", folder_, stem(trace));
    if (::access(path.c_str(), F_OK) == 0) throw exists(path);
    for (const Log& log : logs_)
      if (log.path == path)
        throw FormatError::in_file(trace, "would get the same log as another trace: " + path);
    logs_.push_back({trace, path, fmt::format("{}/.{}.mfl.{}", folder_, stem(trace), ::getpid())});
  }

  template <class Import>
  void import_each(Import&& import_one) {
    for (const Log& log : logs_) import_one(log.trace, log.temporary);
    for (Log& log : logs_) publish(log);
    logs_.clear();
  }

 private:
  struct Log {
    std::string trace, path, temporary;
    bool visible = false;
  };

  static FormatError exists(const std::string& path) {
    return FormatError::in_file(path, "exists already; nothing is overwritten");
  }

  static std::string stem(const std::string& trace) {
    std::string_view name = trace;
    name.remove_prefix(name.find_last_of('/') + 1);
    for (const std::string_view suffix : {".gz", ".json"})
      if (name.size() > suffix.size() && name.ends_with(suffix)) name.remove_suffix(suffix.size());
    return std::string(name);
  }

  static void publish(Log& log) {
    int result =
        ::renameat2(AT_FDCWD, log.temporary.c_str(), AT_FDCWD, log.path.c_str(), RENAME_NOREPLACE);
    if (result != 0 && errno == EINVAL) {  // a file system without it
      result = ::link(log.temporary.c_str(), log.path.c_str());
      if (result == 0) ::unlink(log.temporary.c_str());
    }
    if (result != 0 && errno == EEXIST) throw exists(log.path);
    if (result != 0)
      throw FormatError::in_file(log.path, std::string("cannot be created: ") + strerror(errno));
    log.visible = true;
  }

  std::string folder_;
  std::vector<Log> logs_;
};

format::FileHeader new_header() {
  format::FileHeader header;
  header.created_unix_ns =
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                     std::chrono::system_clock::now().time_since_epoch())
                                     .count());
  std::random_device random;
  for (std::uint8_t& byte : header.log_id) byte = static_cast<std::uint8_t>(random());
  return header;
}

void import_kineto(const std::string& trace, const std::string& log) {
  read::ByteSupply text = read::open_text(trace);
  read::LogWriter writer(log, new_header());
  read::import_kineto(std::move(text), writer);
  writer.close();
}

}  // namespace

int import_traces(const Arguments& arguments) {
  CLI::App app{"Makes a log of each trace, named after it. An existing file is not overwritten.",
               "mfushim import"};
  std::string form;
  std::vector<std::string> traces;
  std::string folder;
  app.add_option("FORM", form, "kineto: PyTorch's profiler, Chrome trace JSON, plain or gzip")
      ->required();
  app.add_option("FILE", traces, "the traces")->required();
  app.add_option("-o,--output", folder, "existing directory for the logs")->required();
  if (!parse_arguments(app, arguments)) return kExitDone;
  if (form != "kineto") {
    const std::string near = nearest(form, {"kineto"});
    throw UsageError(fmt::format(
        "cannot import '{}'{}", form,
        near.empty() ? "; kineto is what there is" : fmt::format("; did you mean '{}'?", near)));
  }
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
    throw FormatError::in_file(folder, "is not a directory");
  NewLogs logs(folder);
  for (const std::string& trace : traces) logs.add(trace);
  logs.import_each(import_kineto);
  return kExitDone;
}

}  // namespace mfushim::commands
