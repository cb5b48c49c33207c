// Looks at the file, runs the command under the recorder in a folder of its own, and reads the log.
#include "commands/doctor_program.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "commands/doctor_trial.hpp"
#include "knowledge/enum_names.hpp"
#include "knowledge/text.hpp"
#include "model/build_run.hpp"
#include "passes/analysis.hpp"
#include "read/elf_file.hpp"
#include "read/format_error.hpp"
#include "read/ring_recovery.hpp"

namespace mfushim::commands {

namespace {

namespace fs = std::filesystem;

std::string find_in_path(const std::string& word) {
  if (word.find('/') != word.npos) return access(word.c_str(), X_OK) == 0 ? word : "";
  const char* const path = std::getenv("PATH");
  for (const std::string& folder : knowledge::split(path ? path : "", ':')) {
    const std::string candidate = folder + "/" + word;
    if (access(candidate.c_str(), X_OK) == 0 && !fs::is_directory(candidate)) return candidate;
  }
  return {};
}

// False, with why, when the loader would not bring the recorder in.
bool can_preload(const Program& program, const read::ElfFile& elf, std::vector<Finding>& findings) {
  const auto refuse = [&](const std::string& what, const std::string& remedy) {
    findings.push_back({"not_preloadable", true, program.path + " " + what, remedy});
    return false;
  };
  if (!elf.is_x86_64)
    return refuse("is not of this machine's kind (x86-64)", "build the recorder for that one");
  if (elf.interpreter.empty())
    return refuse("is linked statically: no loader, no LD_PRELOAD",
                  "link libc dynamically; the CUDA runtime may stay static");
  if (elf.interpreter.find("musl") != elf.interpreter.npos)
    return refuse("uses musl's loader, with which the recorder does not load",
                  "run it with a build for glibc");
  struct stat status;
  if (stat(program.path.c_str(), &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID)) != 0 &&
      status.st_uid != geteuid())
    return refuse("changes its user: the loader ignores LD_PRELOAD", "run it as that user");
  return true;
}

void look_at_file(Program& program, std::vector<Finding>& findings) {
  program.path = find_in_path(program.command.front());
  if (program.path.empty()) {
    program.can_be_preloaded = false;
    findings.push_back({"not_found", true, "there is no program " + program.command.front(),
                        "give the command as a shell would run it"});
    return;
  }
  const auto elf = read::read_elf(program.path);
  if (!elf) return;  // a script: what its interpreter is shows when it runs
  program.interpreter = elf->interpreter;
  if (elf->needs("libcudart.so"))
    program.runtime = RuntimeLink::kShared;
  else if (elf->has_gpu_code || elf->has_cuda_runtime)
    program.runtime = RuntimeLink::kStatic;
  program.can_be_preloaded = can_preload(program, *elf, findings);
}

void judge_coverage(const passes::CoverageResult& c, std::vector<Finding>& findings) {
  for (const std::string& reason : c.no_gpu_time) findings.push_back(no_gpu_times(reason));
  for (const passes::UnhookedModule& module : c.unhooked_modules)
    findings.push_back({"unhooked_module", true,
                        fmt::format("{} may launch unseen: {}", module.path, module.why),
                        "have it opened without RTLD_DEEPBIND and not by dlmopen; GPU times show "
                        "its kernels all the same"});
  for (const passes::UnhookedName& name : c.unhooked_names)
    findings.push_back({"unhooked_function", false,
                        fmt::format("{} was looked up, and has no hook", name.name),
                        "a newer recorder may know it"});
  if (c.gpu_without_launch > 0)
    findings.push_back(
        {"unseen_launches", true,
         fmt::format("{} pieces of GPU work whose launch no hook saw", c.gpu_without_launch),
         "their times count; shapes of products among them are not known"});
  if (c.gpu_dropped + c.host_lost > 0)
    findings.push_back({"lost_records", true,
                        fmt::format("{} records were lost", c.gpu_dropped + c.host_lost),
                        "give /dev/shm more room, and MFUSHIM_MAX_BYTES no limit"});
}

// Times of a part alone, since somebody else had CUPTI, or windows were asked for.
void judge_windows(const passes::WindowResult& w, std::vector<Finding>& findings) {
  const auto share = w.share();
  if (!share || *share >= 1 || *share <= 0) return;
  std::string reasons;
  for (const passes::TimedStretch& stretch : w.stretches)
    if (stretch.source == format::GpuTimeSource::kNone &&
        reasons.find(stretch.reason) == reasons.npos)
      reasons += (reasons.empty() ? "" : "; ") + std::string(stretch.reason);
  Finding finding = no_gpu_times(reasons);
  finding.what = fmt::format("GPU times of {:.1f} % of the run alone: {}", 100 * *share, reasons);
  findings.push_back(finding);
}

void read_logs(const std::string& folder, Program& program, std::vector<Finding>& findings) {
  std::error_code none;
  if (!fs::exists(folder, none) || fs::is_empty(folder, none)) {
    findings.push_back({"no_log", true, "the recorder saw no launch, copy or collective",
                        "let it run until it works on the GPU (--seconds); if it has, it clears "
                        "LD_PRELOAD for its children, or runs them elsewhere"});
    return;
  }
  read::recover_rings();
  const std::vector<std::string> logs = model::find_logs({folder});
  program.logs = logs.size();
  for (const model::Run& run : model::build_runs(logs, nullptr)) {
    const passes::Analysis a = passes::analyze(run, {});
    program.launches += a.launches.calls;
    program.gpu_records += a.coverage.gpu_records;
    program.layers.insert(program.layers.end(), a.coverage.layers.begin(), a.coverage.layers.end());
    for (const auto& process : run.processes) {
      for (const model::LoadedModule& module : process->modules)
        if (module.role != "unhooked" &&
            std::ranges::find(program.libraries, module.path, &model::LoadedModule::path) ==
                program.libraries.end())
          program.libraries.push_back(module);
      if (process->has_gpu_time())
        program.gpu_time_source = knowledge::name_of(process->gpu_time.source);
    }
    judge_coverage(a.coverage, findings);
    judge_windows(a.windows, findings);
  }
  if (program.launches == 0)
    findings.push_back({"no_launch", true, "no kernel launch was seen",
                        "let it run until it computes (--seconds)"});
}

}  // namespace

Program try_program(const std::vector<std::string>& command, const std::string& recorder,
                    double seconds, std::vector<Finding>& findings) {
  Program program;
  program.command = command;
  look_at_file(program, findings);
  if (!program.can_be_preloaded) return program;
  std::string folder = (fs::temp_directory_path() / "mfushim-doctor-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr)
    throw read::FormatError::in_file(folder, "a folder for the log cannot be made");
  const Trial trial = run_trial(command, recorder, folder, seconds);
  program.has_run = true;
  program.was_stopped = trial.was_stopped;
  program.exit_code = trial.exit_code;
  try {
    read_logs(folder, program, findings);
  } catch (...) {
    fs::remove_all(folder);
    throw;
  }
  fs::remove_all(folder);
  return program;
}

}  // namespace mfushim::commands
