// Ticks to nanoseconds: exact where the clock is exact, straight between anchors.
#include <catch2/catch.hpp>

#include "model/host_clock.hpp"

namespace mfushim::model {

TEST_CASE("without anchors ticks count from zero", "[analyzer]") {
  const HostClock clock(2'000'000'000, {});
  CHECK(clock.to_ns(10) == 5);
  CHECK_FALSE(clock.anchored());
}

TEST_CASE("one anchor shifts", "[analyzer]") {
  const HostClock clock(1'000'000'000, {{.ticks = 100, .realtime_ns = 5'000, .error_ns = 7}});
  CHECK(clock.to_ns(100) == 5'000);
  CHECK(clock.to_ns(350) == 5'250);
  CHECK(clock.to_ns(0) == 4'900);
  CHECK(clock.error_ns() == 7);
}

TEST_CASE("anchors in any order make straight lines", "[analyzer]") {
  // 100 ticks are 50 ns, then 100 ticks are 200 ns.
  const HostClock clock(1'000'000'000, {{.ticks = 300, .realtime_ns = 1'250},
                                        {.ticks = 100, .realtime_ns = 1'000},
                                        {.ticks = 200, .realtime_ns = 1'050},
                                        {.ticks = 200, .realtime_ns = 1'050}});
  CHECK(clock.to_ns(100) == 1'000);
  CHECK(clock.to_ns(150) == 1'025);
  CHECK(clock.to_ns(200) == 1'050);
  CHECK(clock.to_ns(250) == 1'150);
  CHECK(clock.to_ns(300) == 1'250);
  CHECK(clock.to_ns(400) == 1'450);  // the last line goes on
  CHECK(clock.to_ns(0) == 950);      // so does the first
}

TEST_CASE("large stamps do not overflow", "[analyzer]") {
  const HostClock clock(3'000'000'000, {{.ticks = 0, .realtime_ns = 1'700'000'000'000'000'000}});
  CHECK(clock.to_ns(3'000'000'000ULL * 86'400 * 365) ==
        1'700'000'000'000'000'000 + 86'400LL * 365 * 1'000'000'000);
}

}  // namespace mfushim::model
