// Bytes on the wire: varints, zigzag, bounds-checked cursors over memory the caller owns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace mfushim::format {

constexpr std::uint64_t zigzag(std::int64_t v) {
  return (static_cast<std::uint64_t>(v) << 1) ^ static_cast<std::uint64_t>(v >> 63);
}

constexpr std::int64_t unzigzag(std::uint64_t v) {
  return static_cast<std::int64_t>(v >> 1) ^ -static_cast<std::int64_t>(v & 1);
}

// Writes into a fixed buffer; once something does not fit, `overflow` stays set and nothing more is
// written, so a caller checks once at the end.
class ByteSink {
 public:
  explicit ByteSink(std::span<std::uint8_t> memory) : memory_(memory) {}

  void byte(std::uint8_t v) {
    if (room(1)) memory_[size_++] = v;
  }

  void varint(std::uint64_t v) {
    while (v >= 0x80) {
      byte(static_cast<std::uint8_t>(v) | 0x80);
      v >>= 7;
    }
    byte(static_cast<std::uint8_t>(v));
  }

  void bytes(const void* data, std::size_t n) {
    if (n == 0 || !room(n)) return;
    std::memcpy(memory_.data() + size_, data, n);
    size_ += n;
  }

  // Little-endian fixed-width integer.
  template <class T>
  void fixed(T v) {
    bytes(&v, sizeof v);
  }

  // The unused rest of the buffer, to be filled by the caller and then claimed with `advance`.
  std::span<std::uint8_t> rest() {
    return overflow_ ? std::span<std::uint8_t>{} : memory_.subspan(size_);
  }
  void advance(std::size_t n) {
    if (room(n)) size_ += n;
  }

  // Replaces the four bytes at `at` by the number of bytes written after them.
  void patch_size(std::size_t at) {
    if (overflow_) return;
    const auto n = static_cast<std::uint32_t>(size_ - at - sizeof(std::uint32_t));
    std::memcpy(memory_.data() + at, &n, sizeof n);
  }

  void fail() { overflow_ = true; }
  void truncate(std::size_t n) {
    size_ = n;
    overflow_ = false;
  }

  std::size_t size() const { return size_; }
  bool overflow() const { return overflow_; }
  std::span<const std::uint8_t> written() const { return memory_.first(size_); }

 private:
  bool room(std::size_t n) {
    if (overflow_ || memory_.size() - size_ < n) overflow_ = true;
    return !overflow_;
  }

  std::span<std::uint8_t> memory_;
  std::size_t size_ = 0;
  bool overflow_ = false;
};

// Reads from memory it does not own; after the first impossible read `ok` is false and all further
// reads give zero, so a caller checks once at the end.
class ByteSource {
 public:
  explicit ByteSource(std::span<const std::uint8_t> memory) : memory_(memory) {}

  std::uint8_t byte() {
    if (at_ >= memory_.size()) return fail();
    return memory_[at_++];
  }

  std::uint64_t varint() {
    std::uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t b = byte();
      v |= static_cast<std::uint64_t>(b & 0x7f) << shift;
      if ((b & 0x80) == 0) return v;
    }
    return fail();
  }

  std::span<const std::uint8_t> bytes(std::uint64_t n) {
    if (!ok_ || n > memory_.size() - at_) {
      fail();
      return {};
    }
    const auto part = memory_.subspan(at_, static_cast<std::size_t>(n));
    at_ += static_cast<std::size_t>(n);
    return part;
  }

  template <class T>
  T fixed() {
    T v{};
    const auto part = bytes(sizeof v);
    if (part.size() == sizeof v) std::memcpy(&v, part.data(), sizeof v);
    return v;
  }

  std::size_t position() const { return at_; }
  std::size_t remaining() const { return memory_.size() - at_; }
  bool ok() const { return ok_; }
  std::uint8_t fail() {
    ok_ = false;
    at_ = memory_.size();
    return 0;
  }

 private:
  std::span<const std::uint8_t> memory_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

namespace detail {

// Castagnoli polynomial, reflected; eight tables let eight bytes be folded at a time.
constexpr std::array<std::array<std::uint32_t, 256>, 8> make_crc_tables() {
  std::array<std::array<std::uint32_t, 256>, 8> t{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ ((c & 1) ? 0x82f63b78u : 0u);
    t[0][i] = c;
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (std::size_t i = 0; i < 256; ++i) t[k][i] = (t[k - 1][i] >> 8) ^ t[0][t[k - 1][i] & 0xff];
  return t;
}

inline constexpr auto kCrcTables = make_crc_tables();

}  // namespace detail

// CRC-32C (RFC 3720), the checksum of headers and payloads.
inline std::uint32_t crc32c(std::span<const std::uint8_t> data, std::uint32_t seed = 0) {
  const auto& t = detail::kCrcTables;
  std::uint32_t c = ~seed;
  std::size_t i = 0;
  for (; i + 8 <= data.size(); i += 8) {
    std::uint64_t v;
    std::memcpy(&v, data.data() + i, 8);
    v ^= c;
    c = t[7][v & 0xff] ^ t[6][(v >> 8) & 0xff] ^ t[5][(v >> 16) & 0xff] ^ t[4][(v >> 24) & 0xff] ^
        t[3][(v >> 32) & 0xff] ^ t[2][(v >> 40) & 0xff] ^ t[1][(v >> 48) & 0xff] ^ t[0][v >> 56];
  }
  for (; i < data.size(); ++i) c = (c >> 8) ^ t[0][(c ^ data[i]) & 0xff];
  return ~c;
}

}  // namespace mfushim::format
