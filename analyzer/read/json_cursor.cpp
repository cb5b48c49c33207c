// The tokens of JSON (RFC 8259), eight bytes at a time where text is long.
#include "read/json_cursor.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>

namespace mfushim::read {

namespace {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr int hex(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// How many of eight bytes stand before the first quote, backslash or control character.
std::size_t plain_of_eight(const char* at) {
  constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
  constexpr std::uint64_t kHigh = 0x8080808080808080ULL;
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t v;
  std::memcpy(&v, at, sizeof v);
  const std::uint64_t quote = v ^ (kOnes * '"');
  const std::uint64_t slash = v ^ (kOnes * '\\');
  // A borrow may mark bytes behind a special one as well, never one before the first.
  const std::uint64_t found =
      ((v - kOnes * 0x20) & ~v) | ((quote - kOnes) & ~quote) | ((slash - kOnes) & ~slash);
  return static_cast<std::size_t>(std::countr_zero(found & kHigh)) / 8;
}

constexpr bool is_special(char c) {
  return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
}

// The length of a JSON number at the start of `text`; 0: none.
std::size_t number_length(std::string_view text) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t from = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    return i - from;
  };
  const auto next_is = [&](char a, char b) {
    return i < text.size() && (text[i] == a || text[i] == b) ? (++i, true) : false;
  };
  next_is('-', '-');
  const std::size_t whole_at = i;
  const std::size_t whole = digits();
  if (whole == 0 || (whole > 1 && text[whole_at] == '0')) return 0;
  if (next_is('.', '.') && digits() == 0) return 0;
  if (next_is('e', 'E')) {
    next_is('+', '-');
    if (digits() == 0) return 0;
  }
  return i;
}

constexpr bool is_of_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' ||
         c == '+';
}

bool is_literal(std::string_view word) {
  // The last ones are no JSON: Python's json, JavaScript's and printf's names for what has none.
  for (const std::string_view known : {"true", "false", "null", "NaN", "Infinity", "-Infinity",
                                       "nan", "-nan", "inf", "-inf", "-NaN"})
    if (word == known) return true;
  return false;
}

}  // namespace

void JsonCursor::fail(const std::string& what) const {
  throw JsonFault{offset(), what};
}

void JsonCursor::fail_expected(char c) const {
  const auto found = static_cast<unsigned char>(*at_);
  fail(found >= 0x20 && found < 0x7f ? fmt::format("expected '{}', not '{}'", c, *at_)
                                     : fmt::format("expected '{}', not byte {:#04x}", c, found));
}

std::string_view JsonCursor::string() {
  expect('"');
  const char* const begin = at_;
  for (;;) {
    std::size_t plain = 8;
    while (plain == 8 && end_ - at_ >= 8) at_ += plain = plain_of_eight(at_);
    if (plain == 8)
      while (at_ < end_ && !is_special(*at_)) ++at_;
    if (at_ == end_) throw JsonEnds{};
    if (*at_ == '"') return {begin, static_cast<std::size_t>(at_++ - begin)};
    if (*at_ != '\\') fail("control character in a string");
    escape();
  }
}

void JsonCursor::escape() {
  const auto left = static_cast<std::size_t>(end_ - at_);
  if (left < 2) throw JsonEnds{};
  if (at_[1] != 'u') {
    if (!std::strchr("\"\\/bfnrt", at_[1]) || at_[1] == '\0') fail("unknown escape in a string");
    at_ += 2;
    return;
  }
  for (std::size_t i = 2; i < 6; ++i) {
    if (i >= left) throw JsonEnds{};
    if (hex(at_[i]) < 0) fail("bad \\u escape in a string");
  }
  at_ += 6;
}

std::string_view JsonCursor::scalar() {
  peek();
  const std::string_view ahead(at_, static_cast<std::size_t>(end_ - at_));
  std::size_t length = number_length(ahead);
  if (length == ahead.size()) throw JsonEnds{};  // it may go on: no scalar ends a trace
  if (length == 0 || is_of_word(ahead[length])) {
    while (length < ahead.size() && is_of_word(ahead[length])) ++length;
    if (length == ahead.size()) throw JsonEnds{};
    if (length == 0) fail("expected a value");
    if (!is_literal(ahead.substr(0, length))) fail("bad number or word");
  }
  at_ += length;
  return ahead.substr(0, length);
}

std::string_view JsonCursor::value() {
  const char first = peek();
  const char* const begin = at_;
  if (first == '"') {
    string();
  } else if (first == '{' || first == '[') {
    JsonSkipper(false).run(*this);
  } else {
    return scalar();
  }
  return {begin, static_cast<std::size_t>(at_ - begin)};
}

bool JsonCursor::at_end() {
  while (at_ < end_ && is_space(*at_)) ++at_;
  return at_ == end_;
}

void JsonSkipper::run(JsonCursor& cursor) {
  std::size_t depth = depth_;
  const auto open = [&](bool object) {
    if (depth == kMaxDepth) cursor.fail("nested too deep");
    is_object_[depth++] = object;
  };
  const auto key = [&] {
    cursor.string();
    cursor.expect(':');
  };
  // True when the value was passed; false when its first element is ahead.
  const auto pass_or_enter = [&] {
    if (cursor.take('{')) {
      open(true);
      if (!cursor.take('}')) return key(), false;
      --depth;
    } else if (cursor.take('[')) {
      open(false);
      if (!cursor.take(']')) return false;
      --depth;
    } else if (cursor.peek() == '"') {
      cursor.string();
    } else {
      cursor.scalar();
    }
    return true;
  };
  for (bool after = after_value_;;) {
    commit(cursor, after, depth);
    if (!after) {
      after = pass_or_enter();
      continue;
    }
    if (depth == 0) return;
    const bool object = is_object_[depth - 1];
    if (cursor.take(',')) {
      if (object) key();
      after = false;
    } else {
      cursor.expect(object ? '}' : ']');
      --depth;
    }
  }
}

namespace {

constexpr std::uint32_t kReplacement = 0xfffd;

void append_utf8(std::string& out, std::uint32_t c) {
  const auto byte = [&](std::uint32_t b) { out.push_back(static_cast<char>(b)); };
  if (c < 0x80) return byte(c);
  if (c < 0x800) {
    byte(0xc0 | (c >> 6));
  } else {
    if (c < 0x10000) {
      byte(0xe0 | (c >> 12));
    } else {
      byte(0xf0 | (c >> 18));
      byte(0x80 | ((c >> 12) & 0x3f));
    }
    byte(0x80 | ((c >> 6) & 0x3f));
  }
  byte(0x80 | (c & 0x3f));
}

std::uint32_t hex4(const char* at) {
  std::uint32_t v = 0;
  for (int i = 0; i < 4; ++i) v = v * 16 + static_cast<std::uint32_t>(hex(at[i]));
  return v;
}

// Appends the character of the escape at `at` and returns how many bytes it takes.
std::size_t append_escape(std::string& out, std::string_view at) {
  constexpr std::string_view kNames = "bfnrt";
  constexpr std::string_view kControls = "\b\f\n\r\t";
  if (at[1] != 'u') {
    const std::size_t i = kNames.find(at[1]);
    out.push_back(i == std::string_view::npos ? at[1] : kControls[i]);
    return 2;
  }
  const std::uint32_t first = hex4(at.data() + 2);
  if (first < 0xd800 || first > 0xdfff) return append_utf8(out, first), 6;
  if (first < 0xdc00 && at.size() >= 12 && at[6] == '\\' && at[7] == 'u') {
    const std::uint32_t second = hex4(at.data() + 8);
    if (second >= 0xdc00 && second <= 0xdfff)
      return append_utf8(out, 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)), 12;
  }
  return append_utf8(out, kReplacement), 6;
}

// How many bytes the well-formed UTF-8 sequence at `at` has; 0: it is none (Unicode, table 3-7).
std::size_t utf8_length(std::string_view at) {
  const auto b = [&](std::size_t i) {
    return i < at.size() ? static_cast<unsigned char>(at[i]) : 0u;
  };
  const auto more = [&](std::size_t i) { return (b(i) & 0xc0) == 0x80; };
  const unsigned first = b(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return more(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool overlong = first == 0xe0 && b(1) < 0xa0;
    const bool surrogate = first == 0xed && b(1) > 0x9f;
    return more(1) && more(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool overlong = first == 0xf0 && b(1) < 0x90;
    const bool too_large = first == 0xf4 && b(1) > 0x8f;
    return more(1) && more(2) && more(3) && !overlong && !too_large ? 4 : 0;
  }
  return 0;
}

bool is_plain_ascii(std::string_view raw) {
  for (const char c : raw)
    if (c == '\\' || static_cast<unsigned char>(c) >= 0x80) return false;
  return true;
}

}  // namespace

std::string_view unescape(std::string_view raw, std::string& memory) {
  if (is_plain_ascii(raw)) return raw;
  memory.clear();
  for (std::size_t i = 0; i < raw.size();) {
    if (raw[i] == '\\') {
      i += append_escape(memory, raw.substr(i));
    } else if (const std::size_t n = utf8_length(raw.substr(i))) {
      memory.append(raw, i, n);
      i += n;
    } else {
      append_utf8(memory, kReplacement);
      ++i;
    }
  }
  return memory;
}

}  // namespace mfushim::read
