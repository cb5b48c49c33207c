// Decimal microseconds become nanoseconds without rounding, whatever they are written like.
#include <catch2/catch.hpp>

#include "read/decimal_time.hpp"

namespace {

using mfushim::read::parse_microseconds;
using mfushim::read::sum_ns;

std::uint64_t ns(std::string_view text) {
  const auto time = parse_microseconds(text);
  REQUIRE(time.has_value());
  CHECK_FALSE(time->negative);
  return time->ns;
}

std::uint64_t end_ns(std::string_view start, std::string_view duration) {
  return sum_ns(parse_microseconds(start).value(), parse_microseconds(duration).value());
}

}  // namespace

TEST_CASE("decimal microseconds as nanoseconds") {
  CHECK(ns("0") == 0);
  CHECK(ns("1") == 1000);
  CHECK(ns("1.5") == 1500);
  CHECK(ns("0.001") == 1);
  CHECK(ns("000012.0010") == 12001);
  CHECK(ns(".5") == 500);
  CHECK(ns("5.") == 5000);
  CHECK(ns("1712195495519866.832") == 1712195495519866832);
}

TEST_CASE("exponents move the point") {
  CHECK(ns("1e0") == 1000);
  CHECK(ns("1.7e3") == 1700000);
  CHECK(ns("17E+2") == 1700000);
  CHECK(ns("1700000e-6") == 1700);
  CHECK(ns("1e-3") == 1);
  CHECK(ns("0e99999") == 0);
  CHECK(ns("1e-99999") == 0);
}

TEST_CASE("digits below a nanosecond are cut, after the end was added up") {
  CHECK(ns("1.0009999") == 1000);
  CHECK(end_ns("1.0005", "1.0005") == 2001);
  CHECK(end_ns("1.0005", "1.00049999") == 2000);
  CHECK(end_ns("0.0009", "0.0001") == 1);
  // The last place that is kept, 1e-18 ns: 999...9 and 1 of them are one nanosecond.
  CHECK(end_ns("0.000999999999999999999", "0.000000000000000000001") == 1);
  CHECK(end_ns("1e-21", "999999999999999999e-21") == 1);
}

TEST_CASE("negative times are told apart, negative zero is none") {
  CHECK(parse_microseconds("-1")->negative);
  CHECK(parse_microseconds("-0.0000001")->negative);
  CHECK_FALSE(parse_microseconds("-0.0")->negative);
}

TEST_CASE("the range ends below 2^63 nanoseconds") {
  CHECK(ns("9223372036854775.807") == 9223372036854775807u);
  CHECK_FALSE(parse_microseconds("9223372036854775.808"));
  CHECK_FALSE(parse_microseconds("1e16"));
  CHECK_FALSE(parse_microseconds("1e400"));
  CHECK_FALSE(parse_microseconds("1e99999999999999999999"));
  CHECK_FALSE(parse_microseconds(std::string(500, '9')));
}

TEST_CASE("what is no decimal number is none") {
  for (const char* text : {"", "-", ".", "+1", "1e", "1e+", "e5", "1.2.3", "1 ", " 1", "0x10",
                           "NaN", "Infinity", "null", "--1", "1e5.5", "1_000"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_microseconds(text));
  }
}
