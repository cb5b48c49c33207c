// The recording engine in an orderly life: what is emitted is in the log, once and in order.
#include <sys/stat.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <set>

#include <catch2/catch.hpp>
#include "engine_log.hpp"

namespace mfushim::test {

namespace {

bool exited_well(const ProbeRun& run) {
  return WIFEXITED(run.status) && WEXITSTATUS(run.status) == 0;
}

// Sequence numbers of each thread are 1, 2, 3 ... and stamps do not go back.
void check_order(const LogContent& log) {
  for (const auto& [lane, launches] : log.launches) {
    std::uint64_t expected = 1, last = 0;
    bool good = true;
    for (const auto& launch : launches) {
      good = good && launch.sequence == expected++ && launch.start >= last;
      last = launch.start;
    }
    INFO("thread " << lane);
    CHECK(good);
  }
}

// The probe's launch number `correlation` names its kernel and its grid.
void check_definitions(const LogContent& log) {
  CHECK_FALSE(log.undefined_use);
  bool good = true;
  for (const auto& [lane, launches] : log.launches)
    for (const auto& launch : launches) {
      const auto& config = log.configs.at(launch.subject);
      good = good && log.names.at(launch.api) == "cuLaunchKernel" &&
             log.names.at(config.kernel) == "kernel_" + std::to_string(launch.correlation % 7) &&
             config.grid_x == launch.correlation % 13 + 1;
    }
  CHECK(good);
}

}  // namespace

TEST_CASE("every record is in the log once, in order, after what it refers to", "[engine]") {
  const TemporaryFolder folder;
  const auto run = run_probe("RANK=3 MFUSHIM_OUT=" + folder.path() + "/a/b", "orderly 4 20000");
  REQUIRE(exited_well(run));
  CHECK(run.errors.empty());
  const auto logs = read_logs(folder.path() + "/a/b");
  REQUIRE(logs.size() == 1);
  const auto& log = logs[0];
  CHECK(log.ended_in_order);
  CHECK(log.damages == 0);
  CHECK(run.counts == std::vector<long>{80000});
  CHECK(log.launch_count() + (log.lost.contains(format::LossCause::kRingFull)
                                  ? log.lost.at(format::LossCause::kRingFull)
                                  : 0) ==
        80000);
  check_definitions(log);
  // Interning from four threads at once still gives equal content one id: 7 kernels x 13 grids.
  std::set<std::uint32_t> used;
  for (const auto& [lane, launches] : log.launches)
    for (const auto& launch : launches) used.insert(launch.subject);
  CHECK(used.size() == 91);
  CHECK(log.coverage.at("dlsym engine_probe cuLaunchKernel") == 80000);
  CHECK(log.costs.at("hook") == log.launch_count());
  CHECK(log.costs.at("writer") > 0);
}

TEST_CASE("few records come in order without a loss", "[engine]") {
  const TemporaryFolder folder;
  const auto run = run_probe("MFUSHIM_OUT=" + folder.path(), "orderly 3 500");
  REQUIRE(exited_well(run));
  const auto logs = read_logs(folder.path());
  REQUIRE(logs.size() == 1);
  CHECK(logs[0].lost.empty());
  CHECK(logs[0].launch_count() == 1500);
  CHECK(logs[0].launches.size() == 3);
  check_order(logs[0]);
  check_definitions(logs[0]);
}

TEST_CASE("a log says whose it is", "[engine]") {
  const TemporaryFolder folder;
  const auto run = run_probe(
      "-u SLURM_JOB_ID RANK=3 WORLD_SIZE=8 LOCAL_RANK=1 TORCHELASTIC_RUN_ID=abc "
      "TORCHELASTIC_RESTART_COUNT=2 MFUSHIM_MODEL=gpt2 MFUSHIM_LABELS=team=a,job=b=c "
      "MFUSHIM_OUT=" +
          folder.path(),
      "orderly 1 1 \"it's\"");
  REQUIRE(exited_well(run));
  const auto logs = read_logs(folder.path());
  REQUIRE(logs.size() == 1);
  const auto& facts = logs[0].facts;
  CHECK(facts.at("rank") == "3");
  CHECK(facts.at("rank_source") == "RANK");
  CHECK(facts.at("world_size") == "8");
  CHECK(facts.at("local_rank") == "1");
  CHECK(facts.at("run_id") == "torchelastic:abc.restart2");
  CHECK(facts.at("model") == "gpt2");
  CHECK(facts.at("label.team") == "a");
  CHECK(facts.at("label.job") == "b=c");
  CHECK(facts.at("command") == MFUSHIM_ENGINE_PROBE " orderly 1 1 'it'\\''s'");
  CHECK(facts.at("executable") == std::filesystem::canonical(MFUSHIM_ENGINE_PROBE));
  const std::string name = std::filesystem::path(logs[0].path).filename();
  CHECK(name.find("-r3-p" + facts.at("pid") + ".mfl") != std::string::npos);
  struct stat info;
  REQUIRE(stat(logs[0].path.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  CHECK(logs[0].anchors.size() >= 2);
}

TEST_CASE("nothing is made before device work, and nothing when disabled", "[engine]") {
  const TemporaryFolder folder;
  const std::string out = folder.path() + "/logs";
  for (const char* const life : {"arm 1 1", "orderly 1 100"}) {
    const bool disabled = std::string(life) != "arm 1 1";
    const auto run =
        run_probe((disabled ? "MFUSHIM_DISABLE=1 MFUSHIM_OUT=" : "MFUSHIM_OUT=") + out, life);
    INFO(life);
    CHECK(exited_well(run));
    CHECK(run.errors.empty());
    CHECK_FALSE(std::filesystem::exists(out));
  }
}

TEST_CASE("a bad setting is named once and its default used", "[engine]") {
  const TemporaryFolder folder;
  const auto run =
      run_probe("MFUSHIM_GPU_TIME=sometimes MFUSHIM_MAX_BYTES=lots MFUSHIM_OUT=" + folder.path(),
                "orderly 1 10");
  REQUIRE(exited_well(run));
  CHECK(run.errors ==
        "mfushim: MFUSHIM_GPU_TIME=sometimes is none of auto, cupti, events, off; using auto\n"
        "mfushim: MFUSHIM_MAX_BYTES=lots is not a size such as 500M; no limit is used\n");
  const auto logs = read_logs(folder.path());
  REQUIRE(logs.size() == 1);
  CHECK(logs[0].launch_count() == 10);
}

TEST_CASE("a folder that cannot be made costs the log, not the job", "[engine]") {
  const auto run = run_probe("MFUSHIM_OUT=/dev/null/logs", "orderly 2 10");
  CHECK(exited_well(run));
  CHECK(run.counts == std::vector<long>{0});
  CHECK(run.errors ==
        "mfushim: cannot make a log in /dev/null/logs: Not a directory; nothing is recorded\n");
}

TEST_CASE("a log stops at its size and says what is missing", "[engine]") {
  const TemporaryFolder folder;
  const auto run =
      run_probe("MFUSHIM_MAX_BYTES=200K MFUSHIM_OUT=" + folder.path(), "orderly 2 200000");
  REQUIRE(exited_well(run));
  const auto logs = read_logs(folder.path());
  REQUIRE(logs.size() == 1);
  const auto& log = logs[0];
  CHECK(std::filesystem::file_size(log.path) <= 200 * 1024);
  CHECK(log.ended_in_order);
  REQUIRE(run.counts.size() == 1);
  std::uint64_t lost = 0;
  for (const auto& [cause, count] : log.lost) lost += count;
  CHECK(log.lost.at(format::LossCause::kSizeLimit) > 0);
  CHECK(log.launch_count() + lost == static_cast<std::uint64_t>(run.counts[0]));
}

TEST_CASE("a program of ever new sizes keeps its kernels' names", "[engine]") {
  constexpr std::uint64_t kSizes = 40000;  // more than the ring has room to define
  const TemporaryFolder folder;
  const auto run = run_probe("MFUSHIM_OUT=" + folder.path(), "sizes 1 40000");
  REQUIRE(exited_well(run));
  const auto logs = read_logs(folder.path());
  REQUIRE(logs.size() == 1);
  const auto& log = logs[0];
  CHECK(log.launch_count() == kSizes);
  CHECK(log.configs.size() < kSizes);
  CHECK(log.lost.at(format::LossCause::kDefinitionsFull) >= kSizes - log.configs.size());
  CHECK_FALSE(log.undefined_use);
  bool good = true;
  for (const auto& [lane, launches] : log.launches)
    for (const auto& launch : launches) {
      const auto& config = log.configs.at(launch.subject);
      good = good &&
             log.names.at(config.kernel) == "kernel_" + std::to_string(launch.correlation % 7) &&
             (config.grid_x == 0 || config.grid_x == launch.correlation + 1);
    }
  CHECK(good);
}

TEST_CASE("a write error stops recording, not the job", "[engine]") {
  const TemporaryFolder folder;
  const auto run = run_probe("MFUSHIM_OUT=" + folder.path(), "small-files 2 200000");
  REQUIRE(exited_well(run));
  CHECK(run.errors.find("File too large; recording stopped\n") != std::string::npos);
  const auto logs = read_logs(folder.path());
  REQUIRE(logs.size() == 1);
  CHECK(std::filesystem::file_size(logs[0].path) <= 64 * 1024);
  CHECK(logs[0].damages == 0);
}

TEST_CASE("a forked child records for itself", "[engine]") {
  const TemporaryFolder folder;
  const auto run = run_probe("MFUSHIM_OUT=" + folder.path(), "fork 2 300");
  REQUIRE(exited_well(run));
  const auto logs = read_logs(folder.path());
  REQUIRE(logs.size() == 2);
  CHECK(logs[0].launch_count() == 600);
  CHECK(logs[1].launch_count() == 50);
  CHECK(logs[1].facts.at("ppid") == logs[0].facts.at("pid"));
  for (const auto& log : logs) {
    CHECK(log.ended_in_order);
    check_order(log);
    check_definitions(log);
  }
}

TEST_CASE("a program that closes all descriptors keeps its files and its log", "[engine]") {
  const TemporaryFolder folder, other;
  const std::string own = other.path() + "/own";
  const auto run = run_probe("MFUSHIM_OUT=" + folder.path(), "closer 1 200 " + own);
  REQUIRE(exited_well(run));
  CHECK(std::filesystem::file_size(own) == 0);
  const auto logs = read_logs(folder.path());
  REQUIRE(logs.size() == 1);
  CHECK(logs[0].launch_count() == 300);
  CHECK(logs[0].ended_in_order);
}

}  // namespace mfushim::test
