// JSON that arrives in pieces reads the same wherever the pieces end, and faults know their place.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <string>

#include "read/format_error.hpp"
#include "read/json_stream.hpp"

namespace {

using namespace mfushim::read;

// `text`, `step` bytes at a time.
ByteSupply in_steps(std::string_view text, std::size_t step) {
  return {"text", [text, step](std::span<char> to) mutable {
            const std::size_t n = std::min({text.size(), to.size(), step});
            std::memcpy(to.data(), text.data(), n);
            text.remove_prefix(n);
            return n;
          }};
}

std::string value_of(std::string_view text, std::size_t step) {
  JsonStream stream(in_steps(text, step));
  std::string value;
  stream.parse([&](JsonCursor& c) { value = c.value(); });
  stream.expect_end();
  return value;
}

std::string skipped(std::string_view text, std::size_t step) {
  JsonStream stream(in_steps(text, step));
  JsonSkipper skipper;
  stream.parse([&](JsonCursor& c) { skipper.run(c); });
  stream.expect_end();
  return {};
}

std::string message(std::string_view text) {
  try {
    value_of(text, 4096);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "no fault";
}

std::string unescaped(std::string_view raw) {
  std::string memory;
  return std::string(unescape(raw, memory));
}

constexpr std::string_view kValue =
    R"({"a":[1,-2.5e+3,true,false,null,NaN,-Infinity,{"b":{}}],"c\"\\\u00e9":"d\ne","f":[[],[{}]]})";

}  // namespace

TEST_CASE("a value reads the same in pieces of any size") {
  for (std::size_t step = 1; step <= kValue.size(); ++step) {
    CAPTURE(step);
    CHECK(value_of(kValue, step) == kValue);
    CHECK_NOTHROW(skipped(kValue, step));
  }
}

TEST_CASE("a value that is cut anywhere is a fault at its end") {
  for (std::size_t n = 1; n < kValue.size(); ++n) {
    CAPTURE(n);
    const std::string_view cut = kValue.substr(0, n);
    CHECK_THROWS_AS(value_of(cut, 7), FormatError);
    CHECK_THROWS_AS(skipped(cut, 7), FormatError);
    CHECK(message(cut).find("cut off") != std::string::npos);
  }
}

TEST_CASE("faults tell their offset in the text") {
  CHECK(message(R"([1,2 3])") == "text:0x5: expected ']', not '3'");
  CHECK(message(R"({"a" 1})") == "text:0x5: expected ':', not '1'");
  CHECK(message("[1,tru]") == "text:0x3: bad number or word");
  CHECK(message("[\"a\x01\"]") == "text:0x3: control character in a string");
  // Far behind what the window holds at first.
  const std::string far = "[\"" + std::string(3'000'000, 'x') + "\",?]";
  CHECK(message(far) == "text:0x2dc6c4: expected a value");
}

TEST_CASE("a skipped value may be larger than any window") {
  std::string large = "[";
  for (int i = 0; i < 400'000; ++i) large += R"({"name":"f"},)";
  large += "0]";
  CHECK_NOTHROW(skipped(large, 1000));
}

TEST_CASE("nesting has a limit") {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  CHECK_NOTHROW(value_of(nested(JsonSkipper::kMaxDepth), 4096));
  CHECK(message(nested(JsonSkipper::kMaxDepth + 1)).find("too deep") != std::string::npos);
}

TEST_CASE("strings unescape to valid UTF-8") {
  CHECK(unescaped("plain") == "plain");
  CHECK(unescaped(R"(\"\\\/\b\f\n\r\t)") == "\"\\/\b\f\n\r\t");
  CHECK(unescaped(R"(\u0041\u00e9\u20AC\ud83d\ude00)") == "A\u00e9\u20ac\U0001f600");
  CHECK(unescaped(R"(\ud83d)") == "\ufffd");
  CHECK(unescaped(R"(\ude00\ud83d\u0041)") == "\ufffd\ufffdA");
  CHECK(unescaped("\u00e9\U0001f600") == "\u00e9\U0001f600");
  // Overlong, a surrogate, beyond the last character, a lone continuation, a cut sequence.
  CHECK(unescaped("\xc0\x80") == "\ufffd\ufffd");
  CHECK(unescaped("\xed\xa0\x80") == "\ufffd\ufffd\ufffd");
  CHECK(unescaped("\xf4\x90\x80\x80") == "\ufffd\ufffd\ufffd\ufffd");
  CHECK(unescaped("\x80!") == "\ufffd!");
  CHECK(unescaped("\xe2\x82") == "\ufffd\ufffd");
}
