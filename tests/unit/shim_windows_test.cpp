// When windows of device times are: every expectation is the rule's arithmetic, in seconds.
#include <catch2/catch.hpp>

#include "gpu_windows.hpp"

namespace {

using namespace mfushim::shim;

constexpr std::int64_t kS = 1'000'000'000;

struct Seconds {
  double begin, end;
  bool operator==(const Seconds&) const = default;
};
Seconds next(const WindowPlan& plan, double began, double now) {
  const auto window =
      next_window(plan, static_cast<std::int64_t>(began * kS), static_cast<std::int64_t>(now * kS));
  if (!window) return {-1, -1};
  return {static_cast<double>(window->begin) / kS, static_cast<double>(window->end) / kS};
}

}  // namespace

TEST_CASE("a window of its own begins some time after recording began", "[windows]") {
  const auto plan = parse_windows("5:2");
  REQUIRE(plan);
  CHECK(next(*plan, 100.25, 100.25) == Seconds{105.25, 107.25});
  CHECK(next(*plan, 100.25, 106) == Seconds{105.25, 107.25});
  CHECK(next(*plan, 100.25, 107.25) == Seconds{-1, -1});
}

TEST_CASE("periodic windows begin at the period's multiples, whoever asks", "[windows]") {
  const auto plan = parse_windows("0:1:10");
  REQUIRE(plan);
  CHECK(next(*plan, 103, 103) == Seconds{110, 111});
  CHECK(next(*plan, 107.5, 107.5) == Seconds{110, 111});
  CHECK(next(*plan, 103, 111) == Seconds{120, 121});
  // Who comes late joins.
  CHECK(next(*plan, 110.5, 110.5) == Seconds{110.5, 111});
}

TEST_CASE("no periodic window before its start", "[windows]") {
  const auto plan = parse_windows("15:1:10");
  REQUIRE(plan);
  CHECK(next(*plan, 103, 103) == Seconds{120, 121});  // 118 lies between two
  CHECK(next(*plan, 105.5, 105.5) == Seconds{120.5, 121});
  CHECK(next(*plan, 106, 106) == Seconds{130, 131});
}

TEST_CASE("a plan may begin with a whole stretch", "[windows]") {
  const WindowPlan plan{.whole = 30 * kS, .length = 1 * kS, .period = 60 * kS};
  CHECK(next(plan, 100, 129) == Seconds{100, 130});
  CHECK(next(plan, 100, 130) == Seconds{180, 181});
  CHECK(next_window(WindowPlan{}, 7, 9)->end == kForEver);
}

TEST_CASE("windows are read as numbers of seconds", "[windows]") {
  CHECK(parse_windows("0.5:0.25:2")->length == kS / 4);
  for (const char* bad :
       {"", "5", "5:", "5:0", "a:1", "1:2:1", "1:1:2:3", "1:1:2s", "-1:1", "0:1e30", "0:nan"})
    CHECK_FALSE(parse_windows(bad));
}
