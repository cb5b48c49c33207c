// JSON text that arrives in pieces, plain or gzip, read value by value in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "read/json_cursor.hpp"

namespace mfushim::read {

// The bytes of a text: its name for messages, and a function that fills as much of a span as it can
// and returns how much, 0 at the end.
struct ByteSupply {
  std::string name;
  std::function<std::size_t(std::span<char>)> read;
};

// A file, inflated when it is gzip; what it is shows in its content. Throws FormatError.
ByteSupply open_text(const std::string& path);

class JsonStream {
 public:
  // The largest single value, in bytes; nothing a profiler writes comes near.
  static constexpr std::size_t kMaxValue = std::size_t{256} << 20;

  explicit JsonStream(ByteSupply supply);

  // Runs f on the text ahead. When the text at hand ends inside of what f reads, more is fetched
  // and f runs again from its last commit. Views that f took hold until the next call. Faults
  // become FormatError with the offset in the (inflated) text.
  template <class F>
  void parse(F&& f) {
    for (;;) {
      JsonCursor cursor(std::string_view(memory_.get() + begin_, end_ - begin_));
      try {
        f(cursor);
        begin_ += cursor.offset();
        return;
      } catch (const JsonEnds&) {
        begin_ += cursor.committed();
        fetch();
      } catch (const JsonFault& fault) {
        fail(begin_ + fault.offset, fault.what);
      }
    }
  }

  // Throws FormatError unless only white space is left.
  void expect_end();
  std::uint64_t bytes_read() const { return dropped_ + end_; }

 private:
  // Makes more text available; throws FormatError at the end of the supply.
  void fetch();
  bool fill();
  void grow();
  [[noreturn]] void fail(std::size_t at, const std::string& what) const;

  ByteSupply supply_;
  std::size_t capacity_ = std::size_t{1} << 20;
  std::unique_ptr<char[]> memory_;
  std::size_t begin_ = 0;  // of the text at hand in memory_
  std::size_t end_ = 0;
  std::uint64_t dropped_ = 0;  // bytes of the text before memory_[0]
};

}  // namespace mfushim::read
