// Columns: the values of one field of a block's records, predicted, split into byte planes and
// compressed, in memory that the caller owns.
//
// Every integer column is stored as its first value and then byte planes of the rest: all low
// bytes, then all second bytes, and so on. The low bytes of time stamps are noise, the high ones
// nearly constant; apart, each compresses to its own entropy.
//
// The coder sees records only as memory with a stride, so that it is compiled once and not once for
// each of some two hundred fields.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <string_view>

#include "mfushim/format/field.hpp"
#include "mfushim/format/wire.hpp"

namespace mfushim::format {

// Records of one block at most, so that no input can make a reader allocate without bound.
inline constexpr std::size_t kMaxBlockRecords = 16384;
// Text bytes of one column at most.
inline constexpr std::size_t kMaxColumnText = std::size_t{1} << 20;

// A byte compressor as two functions, so that this header needs none. `compress` returns the size
// written, or 0 when the result would not be smaller than the input; `decompress` returns whether
// exactly `to.size()` bytes came out.
struct Compressor {
  std::size_t (*compress)(void* context, std::span<const std::uint8_t> from,
                          std::span<std::uint8_t> to);
  void* context;
};
struct Decompressor {
  bool (*decompress)(void* context, std::span<const std::uint8_t> from, std::span<std::uint8_t> to);
  void* context;
};

// Working memory of the coder, about 1.2 MB: allocate once, use for every block.
struct BlockScratch {
  std::array<std::uint64_t, kMaxBlockRecords> values;
  std::array<std::uint8_t, kMaxBlockRecords> plane;
  std::array<std::uint64_t, 4096>
      by_key;  // predictions; keys that collide share one, on both sides
  std::array<std::uint8_t, kMaxColumnText> text;
};

namespace detail {

// A chunk of bytes whose length both sides know: 0 when all are zero, else its stored size doubled,
// plus one when compressed.
inline void write_chunk(ByteSink& out, const Compressor& codec,
                        std::span<const std::uint8_t> data) {
  bool zero = true;
  for (const std::uint8_t b : data) zero = zero && b == 0;
  if (zero) return out.byte(0);
  // The length comes first and is not known yet: compress behind room for the longest one.
  constexpr std::size_t kRoom = 5;
  const auto rest = out.rest();
  std::size_t packed = 0;
  if (data.size() >= 16 && rest.size() > kRoom)
    packed = codec.compress(codec.context, data, rest.subspan(kRoom));
  if (packed == 0 || packed >= data.size()) {
    out.varint(std::uint64_t{data.size()} << 1);
    return out.bytes(data.data(), data.size());
  }
  std::array<std::uint8_t, 10> head;
  ByteSink length(head);
  length.varint((std::uint64_t{packed} << 1) | 1);
  std::memmove(rest.data() + length.size(), rest.data() + kRoom, packed);
  out.bytes(head.data(), length.size());
  out.advance(packed);
}

inline bool read_chunk(ByteSource& in, const Decompressor& codec, std::span<std::uint8_t> to) {
  const std::uint64_t head = in.varint();
  if (head == 0) {
    if (!to.empty()) std::memset(to.data(), 0, to.size());
    return in.ok();
  }
  const auto stored = in.bytes(head >> 1);
  if (!in.ok()) return false;
  if (head & 1) return codec.decompress(codec.context, stored, to);
  if (stored.size() != to.size()) return false;
  std::memcpy(to.data(), stored.data(), stored.size());
  return true;
}

// Residuals are zigzag-coded, plain values are not; a scale divides the number that was coded.
constexpr std::uint64_t magnitude(std::uint64_t v, bool residual) {
  return residual ? (v >> 1) + (v & 1) : v;
}
constexpr std::uint64_t divide(std::uint64_t v, bool residual, std::uint64_t scale) {
  return residual ? zigzag(unzigzag(v) / static_cast<std::int64_t>(scale)) : v / scale;
}
constexpr std::uint64_t multiply(std::uint64_t v, bool residual, std::uint64_t scale) {
  if (!residual) return v * scale;
  return zigzag(static_cast<std::int64_t>(static_cast<std::uint64_t>(unzigzag(v)) * scale));
}

// values[0] as a varint, then for the rest either 0 and the one value that all of them have, or the
// number of planes, the common divisor (stamps of a microsecond clock are multiples of 1000), and
// the planes of the quotients.
inline void write_integers(ByteSink& out, const Compressor& codec, BlockScratch& scratch,
                           std::size_t n, bool residual) {
  auto& v = scratch.values;
  out.varint(v[0]);
  if (n == 1) return;
  bool same = true;
  std::uint64_t scale = 0;
  for (std::size_t i = 1; i < n; ++i) {
    same = same && v[i] == v[1];
    if (scale != 1) scale = std::gcd(scale, magnitude(v[i], residual));
  }
  if (same) {
    out.byte(0);
    return out.varint(v[1]);
  }
  if (scale > std::uint64_t{1} << 32) scale = 1;
  std::uint64_t any = 0;
  for (std::size_t i = 1; i < n; ++i) {
    if (scale != 1) v[i] = divide(v[i], residual, scale);
    any |= v[i];
  }
  std::uint8_t planes = 1;
  while (planes < 8 && (any >> (8 * planes)) != 0) ++planes;
  out.byte(planes);
  out.varint(scale);
  for (std::uint8_t p = 0; p < planes; ++p) {
    for (std::size_t i = 1; i < n; ++i)
      scratch.plane[i - 1] = static_cast<std::uint8_t>(v[i] >> (8 * p));
    write_chunk(out, codec, std::span(scratch.plane).first(n - 1));
  }
}

inline bool read_integers(ByteSource& in, const Decompressor& codec, BlockScratch& scratch,
                          std::size_t n, bool residual) {
  auto& v = scratch.values;
  v[0] = in.varint();
  if (n == 1) return in.ok();
  const std::uint8_t planes = in.byte();
  const std::uint64_t second = in.varint();  // the value of all, or the divisor
  if (!in.ok() || planes > 8) return false;
  std::fill(v.begin() + 1, v.begin() + static_cast<std::ptrdiff_t>(n), planes == 0 ? second : 0);
  for (std::uint8_t p = 0; p < planes; ++p) {
    const auto plane = std::span(scratch.plane).first(n - 1);
    if (!read_chunk(in, codec, plane)) return false;
    for (std::size_t i = 1; i < n; ++i) v[i] |= std::uint64_t{plane[i - 1]} << (8 * p);
  }
  if (planes != 0 && second != 1)
    for (std::size_t i = 1; i < n; ++i) v[i] = multiply(v[i], residual, second);
  return true;
}

// Where the integers of one field lie: `first` in the first record, the next `stride` bytes on.
template <class Byte>
struct ColumnOf {
  Byte* first;
  std::size_t stride;
  std::size_t count;
  std::uint8_t width;  // bytes of one value: 1, 2, 4 or 8
  bool is_signed;
};
using ConstColumn = ColumnOf<const std::byte>;
using Column = ColumnOf<std::byte>;

// What predictions need of the record at an address; null where its kind has none.
struct RecordTraits {
  std::uint64_t (*duration)(const void* record);
  std::uint32_t (*key)(const void* record);
};

template <class T>
void load_as(const ConstColumn& c, std::uint64_t* to) {
  for (std::size_t i = 0; i < c.count; ++i) {
    T v;
    std::memcpy(&v, c.first + i * c.stride, sizeof v);
    to[i] = v;
  }
}

template <class T>
void store_as(const Column& c, const std::uint64_t* from) {
  for (std::size_t i = 0; i < c.count; ++i) {
    const T v = static_cast<T>(from[i]);
    std::memcpy(c.first + i * c.stride, &v, sizeof v);
  }
}

// Calls f with an unsigned value of that width, so that loops need not decide anew for each value.
template <class F>
void with_width(std::uint8_t width, F&& f) {
  switch (width) {
    case 1:
      return f(std::uint8_t{});
    case 2:
      return f(std::uint16_t{});
    case 4:
      return f(std::uint32_t{});
    default:
      return f(std::uint64_t{});
  }
}

inline std::int64_t sign_extend(std::uint64_t v, std::uint8_t width) {
  const int unused = 64 - 8 * width;
  return static_cast<std::int64_t>(v << unused) >> unused;
}

inline void load_column(const ConstColumn& c, std::uint64_t* to) {
  with_width(c.width, [&](auto v) { load_as<decltype(v)>(c, to); });
  if (!c.is_signed) return;
  for (std::size_t i = 0; i < c.count; ++i) to[i] = zigzag(sign_extend(to[i], c.width));
}

inline void store_column(const Column& c, std::uint64_t* from) {
  if (c.is_signed)
    for (std::size_t i = 0; i < c.count; ++i)
      from[i] = static_cast<std::uint64_t>(unzigzag(from[i]));
  with_width(c.width, [&](auto v) { store_as<decltype(v)>(c, from); });
}

// Runs over the values in order. `step(i, predicted)` turns one value into its residual or back and
// returns the true value, from which the next ones are predicted. `records` is the first record.
template <class Step>
void walk(const void* records, std::size_t stride, std::size_t n, Transform transform,
          const RecordTraits& traits, std::uint64_t base, BlockScratch& scratch, Step&& step) {
  const auto record = [&](std::size_t i) {
    return static_cast<const std::byte*>(records) + i * stride;
  };
  std::uint64_t previous = 0;
  switch (transform) {
    case Transform::kPlain:
      return;
    case Transform::kDelta:
      for (std::size_t i = 0; i < n; ++i) previous = step(i, previous);
      return;
    case Transform::kSinceEnd:
      previous = base;
      for (std::size_t i = 0; i < n; ++i)
        previous = step(i, previous) + (traits.duration ? traits.duration(record(i)) : 0);
      return;
    case Transform::kByKey:
      scratch.by_key.fill(0);
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t key = traits.key ? traits.key(record(i)) : 0;
        std::uint64_t& last = scratch.by_key[key % scratch.by_key.size()];
        last = step(i, last);
      }
      return;
  }
}

inline void encode_integers(ByteSink& out, const Compressor& codec, const ConstColumn& column,
                            const void* records, Transform transform, const RecordTraits& traits,
                            std::uint64_t base, BlockScratch& scratch) {
  out.byte(static_cast<std::uint8_t>(transform));
  auto& v = scratch.values;
  load_column(column, v.data());
  walk(records, column.stride, column.count, transform, traits, base, scratch,
       [&](std::size_t i, std::uint64_t predicted) {
         const std::uint64_t value = v[i];
         v[i] = zigzag(static_cast<std::int64_t>(value - predicted));
         return value;
       });
  write_integers(out, codec, scratch, column.count, transform != Transform::kPlain);
}

inline bool decode_integers(ByteSource& in, const Decompressor& codec, const Column& column,
                            const void* records, const RecordTraits& traits, std::uint64_t base,
                            BlockScratch& scratch) {
  const std::uint8_t byte = in.byte();
  if (byte > static_cast<std::uint8_t>(Transform::kByKey)) return false;
  const auto transform = static_cast<Transform>(byte);
  if (!read_integers(in, codec, scratch, column.count, transform != Transform::kPlain))
    return false;
  auto& v = scratch.values;
  walk(records, column.stride, column.count, transform, traits, base, scratch,
       [&](std::size_t i, std::uint64_t predicted) {
         return v[i] = predicted + static_cast<std::uint64_t>(unzigzag(v[i]));
       });
  store_column(column, v.data());
  return true;
}

// Texts: a column of lengths, then the bytes of all. `first` is the first record's text.
inline void encode_texts(ByteSink& out, const Compressor& codec, const std::byte* first,
                         std::size_t stride, std::size_t count, BlockScratch& scratch) {
  out.byte(static_cast<std::uint8_t>(Transform::kPlain));
  std::size_t used = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::string_view text;
    std::memcpy(static_cast<void*>(&text), first + i * stride, sizeof text);
    if (text.size() > scratch.text.size() - used) return out.fail();
    if (!text.empty()) std::memcpy(scratch.text.data() + used, text.data(), text.size());
    used += text.size();
    scratch.values[i] = text.size();
  }
  write_integers(out, codec, scratch, count, false);
  write_chunk(out, codec, std::span(scratch.text).first(used));
}

// Keeps bytes where they live as long as the records, and returns that place.
struct TextStore {
  const char* (*keep)(void* context, std::string_view text);
  void* context;
};

inline bool decode_texts(ByteSource& in, const Decompressor& codec, std::byte* first,
                         std::size_t stride, std::size_t count, BlockScratch& scratch,
                         const TextStore& store) {
  if (in.byte() != 0 || !read_integers(in, codec, scratch, count, false)) return false;
  std::size_t total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (scratch.values[i] > kMaxColumnText - total) return false;
    total += static_cast<std::size_t>(scratch.values[i]);
  }
  if (!read_chunk(in, codec, std::span(scratch.text).first(total))) return false;
  const char* at = store.keep(
      store.context, std::string_view(reinterpret_cast<const char*>(scratch.text.data()), total));
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view text(at, static_cast<std::size_t>(scratch.values[i]));
    std::memcpy(first + i * stride, static_cast<const void*>(&text), sizeof text);
    at += text.size();
  }
  return true;
}

}  // namespace detail

}  // namespace mfushim::format
