// Facts about the process and the job, from /proc and the environment.
#include "facts.hpp"

#include <fcntl.h>
#include <limits.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "mfushim/format/ring_recovery.hpp"
#include "recorder.hpp"

namespace mfushim::shim {

namespace {

constexpr const char* kRankNames[] = {"RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK",
                                      "PMIX_RANK"};
constexpr const char* kLocalRankNames[] = {"LOCAL_RANK", "SLURM_LOCALID",
                                           "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID"};
constexpr const char* kWorldSizeNames[] = {"WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE",
                                           "PMI_SIZE"};

// Variables that travel as facts of another name.
struct Carried {
  const char* variable;
  const char* key;
};
constexpr Carried kCarried[] = {
    {"MFUSHIM_MODEL", "model"},
    {"MFUSHIM_TOKENS_PER_STEP", "tokens_per_step"},
    {"MFUSHIM_SEQ", "seq"},
    {"SLURM_JOB_ID", "run.slurm_job_id"},
    {"SLURM_STEP_ID", "run.slurm_step_id"},
    {"SLURM_RESTART_COUNT", "run.slurm_restart"},
    {"TORCHELASTIC_RUN_ID", "run.torchelastic_run_id"},
    {"TORCHELASTIC_RESTART_COUNT", "run.torchelastic_restart"},
    {"PMIX_NAMESPACE", "run.pmix_namespace"},
    {"CUDA_VISIBLE_DEVICES", "cuda_visible_devices"},
};

const char* value_of(const char* name) noexcept {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

// The first of `names` that is a whole number; its place in `names` in `which`.
template <std::size_t N>
long first_number(const char* const (&names)[N], std::size_t& which) noexcept {
  for (which = 0; which < N; ++which) {
    const char* const value = value_of(names[which]);
    if (value == nullptr) continue;
    char* end = nullptr;
    const long number = std::strtol(value, &end, 10);
    if (*end == '\0' && number >= 0) return number;
  }
  return -1;
}

void number_fact(const char* key, unsigned long long number) noexcept {
  char text[24];
  std::snprintf(text, sizeof text, "%llu", number);
  fact(key, text);
}

std::size_t read_file(const char* path, char* to, std::size_t room) noexcept {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  std::size_t n = 0;
  while (n < room) {
    const ssize_t got = read(fd, to + n, room - n);
    if (got <= 0) break;
    n += static_cast<std::size_t>(got);
  }
  close(fd);
  return n;
}

// Unix time of an instant given in clock ticks after boot.
unsigned long long unix_ns_of(std::uint64_t ticks_after_boot) noexcept {
  timespec boot;
  clock_gettime(CLOCK_BOOTTIME, &boot);
  const std::uint64_t up = static_cast<std::uint64_t>(boot.tv_sec) * 1'000'000'000u +
                           static_cast<std::uint64_t>(boot.tv_nsec);
  const auto per_second = static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  return realtime_ns() - up + ticks_after_boot * (1'000'000'000u / per_second);
}

// The command line with its arguments quoted as a shell would need them.
void command_fact() noexcept {
  char raw[4096], text[4096];
  const std::size_t n = read_file("/proc/self/cmdline", raw, sizeof raw - 1);
  raw[n] = '\0';
  std::size_t used = 0;
  const auto put = [&](char c) {
    if (used < sizeof text) text[used++] = c;
  };
  for (std::size_t i = 0; i < n; i += std::strlen(raw + i) + 1) {
    const std::string_view word(raw + i);
    const bool plain =
        !word.empty() && word.find_first_of(" \t\n'\"\\$`*?[](){}<>|&;#~!") == word.npos;
    if (i > 0) put(' ');
    if (!plain) put('\'');
    for (const char c : word) {
      if (c == '\'') put('\''), put('\\'), put('\'');
      put(c);
    }
    if (!plain) put('\'');
  }
  if (n > 0) fact("command", {text, used});
}

// MFUSHIM_LABELS: job=..,team=..
void label_facts() noexcept {
  const char* const value = value_of("MFUSHIM_LABELS");
  std::string_view rest = value != nullptr ? value : "";
  while (!rest.empty()) {
    const std::string_view label = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(label.size() + 1, rest.size()));
    const std::size_t equals = label.find('=');
    if (equals == label.npos || equals == 0) continue;
    char key[128];
    const int n =
        std::snprintf(key, sizeof key, "label.%.*s", static_cast<int>(equals), label.data());
    if (n > 0 && static_cast<std::size_t>(n) < sizeof key)
      fact(key, {label.data() + equals + 1, label.size() - equals - 1});
  }
}

// A process of this host, told from others of the same number by its start.
void name_process(char (&text)[128], const char* host, int pid) noexcept {
  std::snprintf(text, sizeof text, "%s:%d:%llu", host, pid,
                static_cast<unsigned long long>(format::process_start_ticks(pid)));
}

// Tells runs apart that follow each other in one folder. The most telling one that there is: the
// scheduler's job, torchelastic's run or else its agent (each worker has a process group of its
// own), else the process group.
void run_id_fact(const char* host) noexcept {
  char id[512];
  const char* const slurm = value_of("SLURM_JOB_ID");
  const char* const elastic = value_of("TORCHELASTIC_RUN_ID");
  const char* const pmix = value_of("PMIX_NAMESPACE");
  const char* const restart = value_of("TORCHELASTIC_RESTART_COUNT");
  const auto or_zero = [](const char* text) { return text != nullptr ? text : "0"; };
  char group[128], agent[128];
  name_process(group, host, getpgrp());
  name_process(agent, host, getppid());
  fact("run.group", group);
  if (slurm != nullptr)
    std::snprintf(id, sizeof id, "slurm:%s.%s.%s", slurm, or_zero(value_of("SLURM_STEP_ID")),
                  or_zero(value_of("SLURM_RESTART_COUNT")));
  else if (elastic != nullptr && std::strcmp(elastic, "none") != 0)
    std::snprintf(id, sizeof id, "torchelastic:%s", elastic);
  else if (pmix != nullptr)
    std::snprintf(id, sizeof id, "pmix:%s", pmix);
  else if (elastic != nullptr)
    std::snprintf(id, sizeof id, "agent:%s", agent);
  else
    std::snprintf(id, sizeof id, "group:%s", group);
  if (restart != nullptr && std::strcmp(restart, "0") != 0) {
    const std::size_t n = std::strlen(id);
    std::snprintf(id + n, sizeof id - n, ".restart%s", restart);
  }
  fact("run_id", id);
}

void job_facts() noexcept {
  std::size_t which = 0;
  if (const long rank = first_number(kRankNames, which); rank >= 0) {
    number_fact("rank", static_cast<unsigned long long>(rank));
    fact("rank_source", kRankNames[which]);
  }
  if (const long rank = first_number(kLocalRankNames, which); rank >= 0)
    number_fact("local_rank", static_cast<unsigned long long>(rank));
  if (const long size = first_number(kWorldSizeNames, which); size > 0)
    number_fact("world_size", static_cast<unsigned long long>(size));
  for (const Carried& carried : kCarried)
    if (const char* const value = value_of(carried.variable)) fact(carried.key, value);
  label_facts();
}

}  // namespace

long rank_from_environment() noexcept {
  std::size_t which = 0;
  return first_number(kRankNames, which);
}

void record_process_facts(const ClockRate& rate) noexcept {
  char host[HOST_NAME_MAX + 1] = "";
  gethostname(host, sizeof host - 1);
  fact("host", host);
  number_fact("pid", static_cast<unsigned long long>(getpid()));
  number_fact("ppid", static_cast<unsigned long long>(getppid()));
  command_fact();
  char executable[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", executable, sizeof executable);
  if (n > 0) fact("executable", {executable, static_cast<std::size_t>(n)});
  number_fact("start_unix_ns", realtime_ns());
  if (const std::uint64_t start = format::process_start_ticks(getpid()); start != 0)
    number_fact("process_start_unix_ns", unix_ns_of(start));
  fact("tool_version", MFUSHIM_VERSION);
  fact("clock_source", rate.source);
  job_facts();
  run_id_fact(host);
}

}  // namespace mfushim::shim
