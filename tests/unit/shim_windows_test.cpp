// When windows of device times are: every expectation is the rule's arithmetic, in seconds.
#include <catch2/catch.hpp>

#include "gpu_windows.hpp"
#include "mfushim/median_bound.hpp"
#include "window_cost.hpp"

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

TEST_CASE("windows that touch are one without an end", "[windows]") {
  const auto plan = parse_windows("3:5:5");
  REQUIRE(plan);
  const auto window = next_window(*plan, 100 * kS, 100 * kS);
  REQUIRE(window);
  CHECK(window->begin == 103 * kS);
  CHECK(window->end == kForEver);
  CHECK(next_window(*plan, 100 * kS, 900 * kS)->end == kForEver);
}

TEST_CASE("a plan may begin with a whole stretch", "[windows]") {
  const WindowPlan plan{.whole = 30 * kS, .length = 1 * kS, .period = 60 * kS};
  CHECK(next(plan, 100, 129) == Seconds{100, 130});
  CHECK(next(plan, 100, 130) == Seconds{180, 181});
  CHECK(next_window(WindowPlan{}, 7, 9)->end == kForEver);
}

TEST_CASE("windows are read as numbers of steps", "[windows]") {
  const auto plan = parse_windows("100steps:5steps:1000steps");
  REQUIRE(plan);
  CHECK(plan->in_steps);
  const auto at = [&](std::int64_t step) {
    const auto window = next_window(*plan, 0, step);
    return window ? window->begin : -1;
  };
  CHECK(at(0) == 1000);
  CHECK(at(1004) == 1000);
  CHECK(at(1005) == 2000);
  CHECK(next_window(*parse_windows("0:5steps"), 0, 4)->end == 5);
  CHECK_FALSE(next_window(*parse_windows("0steps:5steps"), 0, 5));
  CHECK_FALSE(parse_windows("0:5:10")->in_steps);
  for (const char* bad :
       {"1:5steps", "5steps:1", "0:5steps:10", "0:5:10steps", "0:0.5steps", "0:5 steps"})
    CHECK_FALSE(parse_windows(bad));
}

TEST_CASE("windows in steps wait five minutes for a step", "[windows]") {
  CHECK(are_steps_told(0));
  CHECK(are_steps_told(299 * kS));
  CHECK_FALSE(are_steps_told(301 * kS));
  // All the time: there is nothing to wait for.
  CHECK_FALSE(parse_windows("0:5steps:5steps")->in_steps);
  CHECK(parse_windows("9steps:5steps:5steps")->in_steps);
}

TEST_CASE("a clock that is set moves a window, not its length", "[windows]") {
  Window window{100 * kS, 103 * kS};
  move(window, -3600 * kS);
  CHECK(window.begin == -3500 * kS);
  CHECK(window.end == -3497 * kS);
  Window last{5 * kS, kForEver};
  move(last, kS);
  CHECK(last.begin == 6 * kS);
  CHECK(last.end == kForEver);
}

// Two records of each change, of 32,768 definitions that a log has room for. A week is 604,800 s.
TEST_CASE("a profiler that takes turns for a week changes the log seldom", "[windows]") {
  std::int64_t time = 0;
  std::uint32_t times = 0;
  while (time < 604'800 * kS) time += grace_after(times++);
  CHECK(grace_after(0) == kS);
  CHECK(times < 2000);
}

TEST_CASE("windows are read as numbers of seconds", "[windows]") {
  CHECK(parse_windows("0.5:0.25:2")->length == kS / 4);
  for (const char* bad :
       {"", "5", "5:", "5:0", "a:1", "1:2:1", "1:1:2:3", "1:1:2s", "-1:1", "0:1e30", "0:nan"})
    CHECK_FALSE(parse_windows(bad));
}

// P(Binomial(n, 1/2) < k): 1/32 for 5, 1; 9/256 for 8, 2; 3.3 % for 11, 3; 4.6 % for 13, 4.
TEST_CASE("a median is known from five values on", "[windows]") {
  CHECK(mfushim::median_bound(4) == 0);
  CHECK(mfushim::median_bound(5) == 1);
  CHECK(mfushim::median_bound(7) == 1);
  CHECK(mfushim::median_bound(8) == 2);
  CHECK(mfushim::median_bound(11) == 3);
  CHECK(mfushim::median_bound(13) == 4);
  CHECK(mfushim::median_bound(3000) == 3 * mfushim::median_bound(1000));
}

TEST_CASE("a longer period is a power of two times the plan's", "[windows]") {
  const WindowPlan plan{.whole = 0, .length = 1 * kS, .period = 10 * kS};
  CHECK(affordable_period(plan, 0) == 10 * kS);
  CHECK(affordable_period(plan, 0.05) == 10 * kS);  // half a percent
  CHECK(affordable_period(plan, 0.051) == 20 * kS);
  CHECK(affordable_period(plan, 0.9) == 320 * kS);
}

namespace {

// A second of pause with 1000 launches, then one of a window with `launches`.
struct Job {
  WindowCost cost;
  WindowCost::Reading now;

  void pause(std::uint64_t launches = 1000) {
    now = {now.launches + launches, now.ns + kS};
    cost.opened(now);
  }
  void window(std::uint64_t launches) {
    now = {now.launches + launches, now.ns + kS};
    cost.closed(now);
  }
};

}  // namespace

TEST_CASE("what a window costs is told by five with a pause before them", "[windows]") {
  Job job;
  job.pause();  // what was before the first window is no pause
  job.window(500);
  for (int i = 0; i < 4; ++i) {
    job.pause();
    job.window(700);
    CHECK(job.cost.least_loss() == 0);
  }
  job.pause();
  job.window(800);
  CHECK(job.cost.least_loss() == Approx(0.2));
}

TEST_CASE("a job that is as fast in windows as outside loses nothing", "[windows]") {
  Job job;
  job.pause();
  job.window(1000);
  for (const std::uint64_t launches : {900, 1100, 950, 1000, 1200, 800}) {
    job.pause();
    job.window(launches);
  }
  CHECK(job.cost.least_loss() == 0);
}

TEST_CASE("pauses without launches or with another profiler tell nothing", "[windows]") {
  Job job;
  job.pause();
  for (int i = 0; i < 10; ++i) {
    job.window(10);
    job.pause(5);
  }
  for (int i = 0; i < 10; ++i) {
    job.cost.disturbed();
    job.window(10);
    job.cost.disturbed();
    job.pause();
  }
  CHECK(job.cost.least_loss() == 0);
}
