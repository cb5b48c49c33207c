// Reads JSON token by token from text in memory, without a tree: traces are gigabytes of rows of
// which few matter. Strict, but for the NaN and Infinity that trace writers emit.
//
// Own, because simdjson 3.0 takes no NaN, no array that arrives in pieces, and tells no offset.
#pragma once

#include <bitset>
#include <cstddef>
#include <string>
#include <string_view>

namespace mfushim::read {

// What is wrong with the text, and where in it.
struct JsonFault {
  std::size_t offset;
  std::string what;
};

// The text ends inside the value; more of it may follow.
struct JsonEnds {};

class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text)
      : begin_(text.data()), at_(begin_), committed_(begin_), end_(begin_ + text.size()) {}

  // The next character that is not white space, not consumed.
  char peek() {
    while (at_ < end_ && is_space(*at_)) ++at_;
    if (at_ == end_) throw JsonEnds{};
    return *at_;
  }
  // Consumes the next character when it is `c`.
  bool take(char c) {
    const bool is = peek() == c;
    at_ += is;
    return is;
  }
  void expect(char c) {
    if (!take(c)) fail_expected(c);
  }
  // A string: what stands between its quotes, escapes as they are.
  std::string_view string();
  // A string as above, or any other value as it is written.
  std::string_view text() { return peek() == '"' ? string() : value(); }
  // Any value as it is written, checked.
  std::string_view value();
  // A number, true, false or null as it is written.
  std::string_view scalar();
  // True when only white space is left.
  bool at_end();

  // What was read up to here need not be kept when JsonEnds comes.
  void commit() { committed_ = at_; }

  std::size_t offset() const { return static_cast<std::size_t>(at_ - begin_); }
  std::size_t committed() const { return static_cast<std::size_t>(committed_ - begin_); }

  [[noreturn]] void fail(const std::string& what) const;

 private:
  static constexpr bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
  [[noreturn]] void fail_expected(char c) const;
  void escape();

  const char* begin_;
  const char* at_;
  const char* committed_;
  const char* end_;
};

// Passes over one value, however large: after JsonEnds, `run` goes on with the text that follows
// what the cursor had committed. One that does not commit starts over with its value.
class JsonSkipper {
 public:
  static constexpr std::size_t kMaxDepth = 512;

  explicit JsonSkipper(bool commits = true) : commits_(commits) {}

  void run(JsonCursor& cursor);

 private:
  void commit(JsonCursor& cursor, bool after_value, std::size_t depth) {
    if (!commits_) return;
    after_value_ = after_value;
    depth_ = depth;
    cursor.commit();
  }

  bool commits_;
  std::bitset<kMaxDepth> is_object_;
  std::size_t depth_ = 0;
  bool after_value_ = false;
};

// Calls f(key, cursor) for each member of the object ahead; f reads the value.
template <class F>
void for_each_member(JsonCursor& cursor, F&& f) {
  cursor.expect('{');
  if (cursor.take('}')) return;
  do {
    const std::string_view key = cursor.string();
    cursor.expect(':');
    f(key, cursor);
  } while (cursor.take(','));
  cursor.expect('}');
}

// Calls f(cursor) for each element of the array ahead; f reads it.
template <class F>
void for_each_element(JsonCursor& cursor, F&& f) {
  cursor.expect('[');
  if (cursor.take(']')) return;
  do {
    f(cursor);
  } while (cursor.take(','));
  cursor.expect(']');
}

// The text that a string's content stands for, as valid UTF-8: `raw` itself, or held in `memory`.
std::string_view unescape(std::string_view raw, std::string& memory);

}  // namespace mfushim::read
