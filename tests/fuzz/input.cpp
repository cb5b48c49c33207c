// Files in memory, and the way from a log to all its reports.
#include "input.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "model/build_run.hpp"
#include "report/json_report.hpp"
#include "report/text_report.hpp"

namespace mfushim::fuzz {

InputFile::InputFile(Bytes bytes) : file_(::memfd_create("input", MFD_CLOEXEC)) {
  require(file_ >= 0 &&
              ::write(file_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
          "a file in memory");
  path_ = "/proc/self/fd/" + std::to_string(file_);
}

InputFile::~InputFile() {
  ::close(file_);
}

OutputPath::OutputPath() : path_("/tmp/mfushim-fuzz-" + std::to_string(::getpid())) {
  ::unlink(path_.c_str());
}

OutputPath::~OutputPath() {
  ::unlink(path_.c_str());
}

void require(bool truth, const char* what) {
  if (truth) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

void report_all(const std::string& log) {
  for (const model::Run& run : model::build_runs({log}))
    for (const passes::View view :
         {passes::View::kExact, passes::View::kHta, passes::View::kTracelens}) {
      const auto analysis =
          passes::analyze(run, {.view = view, .efficiency = {}, .model = {}, .steps = {}});
      report::text_report(analysis);
      report::json_report(analysis).dump(2, ' ', false,
                                         nlohmann::ordered_json::error_handler_t::replace);
    }
}

}  // namespace mfushim::fuzz
