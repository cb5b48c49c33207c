// After SIGKILL every record that a hook had finished is recovered.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>
#include "engine_log.hpp"
#include "mfushim/format/ring.hpp"
#include "read/ring_recovery.hpp"

namespace mfushim::test {

namespace {

// Logs in one folder, ring files in another: recovery takes what it finds, and tests that run at
// the same time must not find each other's.
struct Place {
  TemporaryFolder logs;
  TemporaryFolder rings{format::kRingFolder};

  ProbeRun run(const std::string& arguments) const {
    return run_probe("MFUSHIM_RING_DIR=" + rings.path() + " MFUSHIM_OUT=" + logs.path(), arguments);
  }
  std::vector<read::RecoveredRing> recover() const { return read::recover_rings(rings.path()); }
  LogContent log() const {
    const auto all = read_logs(logs.path());
    REQUIRE(all.size() == 1);
    return all[0];
  }
};

}  // namespace

TEST_CASE("SIGKILL loses no record that was finished", "[engine]") {
  // Few records lie in the ring alone; of many, the most are in the log already.
  const int each = GENERATE(10, 60000);
  const Place place;
  const auto run = place.run("killed 3 " + std::to_string(each));
  REQUIRE(WIFSIGNALED(run.status));
  REQUIRE(run.counts.size() == 1);
  const auto emitted = static_cast<std::uint64_t>(run.counts[0]);
  CHECK(emitted == 3u * static_cast<unsigned>(each));
  const auto before = place.log().launch_count();
  CHECK(before < emitted);

  const auto rings = place.recover();
  REQUIRE(rings.size() == 1);
  CHECK(rings[0].problem.empty());
  CHECK(rings[0].records == emitted - before);
  CHECK_FALSE(std::filesystem::exists(rings[0].ring));

  const auto log = place.log();
  CHECK(log.launch_count() == emitted);
  CHECK(log.lost == std::map<format::LossCause, std::uint64_t>{{format::LossCause::kKilled, 0}});
  CHECK_FALSE(log.undefined_use);
  CHECK_FALSE(log.ended_in_order);
  CHECK(log.damages == 0);
  CHECK(log.coverage.at("dlsym engine_probe cuLaunchKernel") == emitted);
  CHECK(place.recover().empty());
}

TEST_CASE("an end without exit handlers is recovered too", "[engine]") {
  const Place place;
  REQUIRE(WIFEXITED(place.run("hasty 1 40").status));
  REQUIRE(place.recover().size() == 1);
  CHECK(place.log().launch_count() == 40);
}

TEST_CASE("the next process brings home what a killed one left", "[engine]") {
  const Place place;
  const TemporaryFolder other;
  REQUIRE(WIFSIGNALED(place.run("killed 1 25").status));
  const auto next = run_probe(
      "MFUSHIM_RING_DIR=" + place.rings.path() + " MFUSHIM_OUT=" + other.path(), "orderly 1 5");
  REQUIRE(WIFEXITED(next.status));
  CHECK(place.recover().empty());
  CHECK(place.log().launch_count() == 25);
  CHECK(place.log().lost.contains(format::LossCause::kKilled));
}

TEST_CASE("a log that was torn by the kill is cut back and completed", "[engine]") {
  const Place place;
  REQUIRE(WIFSIGNALED(place.run("killed 1 30").status));
  const std::string path = place.log().path;
  // As if the kill had come in the middle of writing a segment of 1000 bytes.
  const auto ring = *std::filesystem::directory_iterator(place.rings.path());
  std::fstream file(ring.path(), std::ios::in | std::ios::out | std::ios::binary);
  std::vector<char> bytes(sizeof(format::RingHeader));
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  auto& header = *reinterpret_cast<format::RingHeader*>(bytes.data());
  header.flight_bytes.store(std::filesystem::file_size(path) + 1000);
  header.flight_sequence.store(1);
  file.seekp(0);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  std::ofstream(path, std::ios::app | std::ios::binary) << std::string(400, 'x');
  CHECK(place.log().damages == 1);
  REQUIRE(place.recover().size() == 1);
  CHECK(place.log().damages == 0);
  CHECK(place.log().launch_count() == 30);
}

TEST_CASE("a log that somebody changed is left alone", "[engine]") {
  const Place place;
  REQUIRE(WIFSIGNALED(place.run("killed 1 30").status));
  std::ofstream(place.log().path, std::ios::app) << "more";
  const auto rings = place.recover();
  REQUIRE(rings.size() == 1);
  CHECK(rings[0].problem == "its log is not as the process left it");
  CHECK(std::filesystem::exists(rings[0].ring));
}

}  // namespace mfushim::test
