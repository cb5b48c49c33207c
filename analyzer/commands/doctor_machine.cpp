// Reads the environment and the machine's own files, and draws conclusions.
#include "commands/doctor_machine.hpp"

#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <linux/magic.h>
#include <sys/statfs.h>

#include <cstdlib>
#include <fstream>

#include "commands/recorder.hpp"
#include "knowledge/text.hpp"
#include "mfushim/format/ring.hpp"
#include "read/elf_file.hpp"

namespace mfushim::commands {

namespace {

constexpr std::uint64_t kUsualRing = std::uint64_t{16} << 20;  // of one process
constexpr std::uint64_t kPartOfFree = 4;  // the recorder takes a quarter of what is free at most

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

bool interposes(const std::string& library) {
  const auto elf = read::read_elf(library);
  if (!elf) return false;
  for (const char* const name : {"dlsym", "cuLaunchKernel", "cudaLaunchKernel", "ncclAllReduce"})
    if (elf->defines(name)) return true;
  return false;
}

std::vector<Injection> find_injections(const std::string& recorder) {
  std::vector<Injection> found;
  for (const char* const name : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"})
    if (const std::string value = variable(name); !value.empty())
      found.push_back({name, value, std::string_view(name).starts_with("CUDA_"), false});
  std::string others = variable("LD_PRELOAD");
  for (char& c : others)
    if (c == ' ') c = ':';
  for (const std::string& library : knowledge::split(others, ':'))
    if (!library.empty() && library != recorder)
      found.push_back({"LD_PRELOAD", library, false, interposes(library)});
  return found;
}

std::optional<bool> is_profiling_restricted(const std::string& parameters) {
  std::ifstream file(parameters);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("RmProfilingAdminOnly:")) return line.find('1') != line.npos;
  return std::nullopt;
}

void judge_driver(const Machine& m, std::vector<Finding>& findings) {
  const LibraryAnswer& driver = m.probe.driver;
  if (driver.problem.empty()) return;
  std::string remedy =
      "start it where the driver and its devices are: in a container with the runtime's GPU "
      "option, "
      "on a machine with the kernel module loaded (nvidia-smi must work)";
  if (!driver.path.empty() && !variable("CUDA_VISIBLE_DEVICES").empty())
    remedy = fmt::format("CUDA_VISIBLE_DEVICES is '{}': name devices that are there",
                         variable("CUDA_VISIBLE_DEVICES"));
  findings.push_back({"driver", true, "no GPU can be used: " + driver.problem, remedy});
}

void judge_injections(const Machine& m, bool has_run, std::vector<Finding>& findings) {
  for (const Injection& injection : m.injections) {
    const std::string what = fmt::format("{}={}", injection.variable, injection.value);
    if (injection.takes_cupti)
      findings.push_back(
          {"injection", !has_run,
           what + " brings in a tool that may take CUPTI: then no GPU times beside it",
           "unset it for runs that are to be recorded"});
    else if (injection.interposes)
      findings.push_back({"interposer", false,
                          what + " defines functions that the recorder hooks, too",
                          "the recorder, preloaded before it, calls it; check its own output, or "
                          "leave it away"});
  }
}

void judge_memory(const Machine& m, std::vector<Finding>& findings) {
  constexpr const char* kRemedy = "give containers more: --shm-size=1g, or --ipc=host";
  if (!m.ring_folder_free)
    findings.push_back(
        {"ring", false, m.ring_folder + " is no tmpfs: a kill loses up to 5 s", kRemedy});
  else if (*m.ring_folder_free / kPartOfFree < format::kMinRingBytes)
    findings.push_back({"ring", false,
                        fmt::format("{} has {} kB free: a kill loses up to 5 s", m.ring_folder,
                                    *m.ring_folder_free >> 10),
                        kRemedy});
  else if (*m.ring_folder_free / kPartOfFree < kUsualRing)
    findings.push_back({"ring", false,
                        fmt::format("{} has {} MB free: each process keeps less than 16 MB of "
                                    "records, and may lose some in a burst of launches",
                                    m.ring_folder, *m.ring_folder_free >> 20),
                        kRemedy});
}

}  // namespace

Finding no_gpu_times(const std::string& reason) {
  const auto has = [&](std::string_view text) { return reason.find(text) != reason.npos; };
  std::string remedy = "the recorder tries again in each later window; else the log has host times";
  if (has("error 39"))
    remedy =
        "another tool holds CUPTI, which has room for one: end the profiler, debugger or monitor "
        "that attaches to programs (CUDA_INJECTION64_PATH, nsys, "
        "compute-sanitizer)";
  else if (has("error 35"))
    remedy =
        "the driver keeps profiling to administrators: load it with "
        "NVreg_RestrictProfilingToAdminUsers=0, or give the program CAP_SYS_ADMIN or CAP_PERFMON";
  else if (has("no CUPTI library"))
    remedy =
        "install CUPTI of the program's CUDA version (package cuda-cupti, or the wheel "
        "nvidia-cuda-cupti beside its runtime), or set CUDA_HOME to a toolkit";
  else if (has("older than"))
    remedy = "put a CUPTI of CUDA 11.8 or newer first in LD_LIBRARY_PATH";
  else if (has("MFUSHIM_GPU_TIME") || has("window"))
    remedy = "unset MFUSHIM_GPU_TIME and MFUSHIM_WINDOW, which ask for this";
  else if (has("the program uses CUPTI") || has("given to"))
    remedy = "the program's own profiler is served first: switch it off for runs to be recorded";
  return {"gpu_times", true, "no GPU times: " + reason, remedy};
}

Machine examine_machine(const std::string& driver_parameters) {
  Machine m;
  m.recorder = find_recorder().string();
  m.injections = find_injections(m.recorder);
  m.profiling_is_restricted = is_profiling_restricted(driver_parameters);
  m.glibc = gnu_get_libc_version();
  m.ring_folder = variable("MFUSHIM_RING_DIR");
  if (m.ring_folder.empty()) m.ring_folder = format::kRingFolder;
  struct statfs fs;
  if (statfs(m.ring_folder.c_str(), &fs) == 0 && fs.f_type == TMPFS_MAGIC)
    m.ring_folder_free =
        static_cast<std::uint64_t>(fs.f_bavail) * static_cast<std::uint64_t>(fs.f_bsize);
  m.probe = probe_libraries();
  return m;
}

std::vector<Finding> judge(const Machine& m, bool has_run) {
  std::vector<Finding> findings;
  judge_driver(m, findings);
  judge_injections(m, has_run, findings);
  const bool drives = m.probe.driver.problem.empty();
  if (drives && !has_run && !m.probe.cupti.problem.empty())
    findings.push_back(no_gpu_times(m.probe.cupti.problem));
  if (m.profiling_is_restricted.value_or(false))
    findings.push_back({"profiling_restricted", false,
                        "the driver keeps performance counters to administrators; GPU times need "
                        "none with CUDA 11 or newer",
                        "only where GPU times fail with error 35: load the driver with "
                        "NVreg_RestrictProfilingToAdminUsers=0"});
  if (drives && !m.probe.nvml.problem.empty())
    findings.push_back({"nvml", false, "no clocks of the GPUs: " + m.probe.nvml.problem,
                        "give the container the driver's utility libraries "
                        "(NVIDIA_DRIVER_CAPABILITIES=compute,utility)"});
  judge_memory(m, findings);
  return findings;
}

}  // namespace mfushim::commands
