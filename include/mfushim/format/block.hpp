// Blocks: the records of one kind and lane as compressed columns, encoded and decoded in memory
// that the caller owns.
//
// Every integer column is stored as its first value and then byte planes of the rest: all low
// bytes, then all second bytes, and so on. The low bytes of time stamps are noise, the high ones
// nearly constant; apart, each compresses to its own entropy.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <string_view>
#include <type_traits>

#include "mfushim/format/records.hpp"
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

// Working memory of the coder, about 1.4 MB: allocate once, use for every block.
struct BlockScratch {
  std::array<std::uint64_t, kMaxBlockRecords> values;
  std::array<std::uint8_t, kMaxBlockRecords> plane;
  std::array<std::uint64_t, 4096>
      by_key;  // predictions; keys that collide share one, on both sides
  std::array<std::uint8_t, kMaxColumnText> text;
};

struct BlockHeader {
  std::uint16_t kind = 0;
  std::uint32_t lane = 0;
  std::uint32_t count = 0;
  std::uint32_t columns = 0;
  std::uint64_t size = 0;  // bytes of the columns that follow
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

template <class T>
constexpr std::uint64_t to_bits(T v) {
  if constexpr (std::is_enum_v<T>)
    return static_cast<std::uint64_t>(v);
  else if constexpr (std::is_signed_v<T>)
    return zigzag(v);
  else
    return v;
}

template <class T>
constexpr T from_bits(std::uint64_t v) {
  if constexpr (std::is_enum_v<T>)
    return static_cast<T>(v);
  else if constexpr (std::is_signed_v<T>)
    return static_cast<T>(unzigzag(v));
  else
    return static_cast<T>(v);
}

template <class Record>
std::uint64_t span_end(const Record& r) {
  if constexpr (HasSpan<Record>)
    return r.start + r.duration;
  else
    return 0;
}

template <class Record>
std::uint64_t& prediction(BlockScratch& scratch, const Record& r) {
  if constexpr (HasKey<Record>)
    return scratch.by_key[r.key() % scratch.by_key.size()];
  else
    return scratch.by_key[0];
}

// Calls f(record, predicted, value of this record) in order, keeping the predictions of
// `transform`. `value_of(record, predicted)` yields the true value: read from the record, or just
// decoded into it.
template <class Record, class ValueOf>
void walk(std::span<Record> records, Transform transform, std::uint64_t base, BlockScratch& scratch,
          ValueOf&& value_of) {
  std::uint64_t previous = transform == Transform::kSinceEnd ? base : 0;
  if (transform == Transform::kByKey) scratch.by_key.fill(0);
  for (std::size_t i = 0; i < records.size(); ++i) {
    std::uint64_t& predicted =
        transform == Transform::kByKey ? prediction(scratch, records[i]) : previous;
    const std::uint64_t value = value_of(i, predicted);
    if (transform == Transform::kSinceEnd)
      previous = span_end(records[i]);
    else
      predicted = value;
  }
}

template <class Record, class Value>
void encode_column(ByteSink& out, const Compressor& codec, std::span<const Record> records,
                   const auto& field, std::uint64_t base, BlockScratch& scratch) {
  const Transform t = field.transform;
  out.byte(static_cast<std::uint8_t>(t));
  walk(records, t, base, scratch, [&](std::size_t i, std::uint64_t predicted) {
    const std::uint64_t value = to_bits<Value>(records[i].*field.member);
    scratch.values[i] =
        t == Transform::kPlain ? value : zigzag(static_cast<std::int64_t>(value - predicted));
    return value;
  });
  write_integers(out, codec, scratch, records.size(), t != Transform::kPlain);
}

template <class Record, class Value>
bool decode_column(ByteSource& in, const Decompressor& codec, std::span<Record> records,
                   const auto& field, std::uint64_t base, BlockScratch& scratch) {
  const auto t = static_cast<Transform>(in.byte());
  if (t > Transform::kByKey ||
      !read_integers(in, codec, scratch, records.size(), t != Transform::kPlain))
    return false;
  walk(records, t, base, scratch, [&](std::size_t i, std::uint64_t predicted) {
    const std::uint64_t coded = scratch.values[i];
    const std::uint64_t value =
        t == Transform::kPlain ? coded : predicted + static_cast<std::uint64_t>(unzigzag(coded));
    records[i].*field.member = from_bits<Value>(value);
    return value;
  });
  return true;
}

// Texts: a column of lengths, then the bytes of all.
template <class Record>
void encode_text(ByteSink& out, const Compressor& codec, std::span<const Record> records,
                 const auto& field, BlockScratch& scratch) {
  out.byte(static_cast<std::uint8_t>(Transform::kPlain));
  std::size_t used = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::string_view text = records[i].*field.member;
    if (text.size() > scratch.text.size() - used) return out.fail();
    std::memcpy(scratch.text.data() + used, text.data(), text.size());
    used += text.size();
    scratch.values[i] = text.size();
  }
  write_integers(out, codec, scratch, records.size(), false);
  write_chunk(out, codec, std::span(scratch.text).first(used));
}

// `store(bytes)` keeps the bytes where they live as long as the records, and returns that place.
template <class Record, class Store>
bool decode_text(ByteSource& in, const Decompressor& codec, std::span<Record> records,
                 const auto& field, BlockScratch& scratch, Store&& store) {
  if (in.byte() != 0 || !read_integers(in, codec, scratch, records.size(), false)) return false;
  std::size_t total = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (scratch.values[i] > kMaxColumnText - total) return false;
    total += static_cast<std::size_t>(scratch.values[i]);
  }
  if (!read_chunk(in, codec, std::span(scratch.text).first(total))) return false;
  const char* at =
      store(std::string_view(reinterpret_cast<const char*>(scratch.text.data()), total));
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].*field.member = std::string_view(at, static_cast<std::size_t>(scratch.values[i]));
    at += scratch.values[i];
  }
  return true;
}

template <class Record>
inline constexpr std::size_t kColumns = std::tuple_size_v<decltype(Record::fields())>;

template <class F, class Record>
using FieldValue = std::remove_cvref_t<decltype(std::declval<Record&>().*std::declval<F>().member)>;

}  // namespace detail

// Appends one block. `base` is what the first `start` is predicted from: the segment's first_ticks
// for host records, 0 for device records. Nothing is appended, and `out.overflow()` is set, when it
// does not fit; call truncate() with the earlier size to go on. records: 1 .. kMaxBlockRecords.
template <class Record>
void encode_block(ByteSink& out, const Compressor& codec, std::uint32_t lane, std::uint64_t base,
                  std::span<const Record> records, BlockScratch& scratch) {
  out.varint(static_cast<std::uint64_t>(Record::kKind));
  out.varint(lane);
  out.varint(records.size());
  out.varint(detail::kColumns<Record>);
  const std::size_t size_at = out.size();
  out.fixed(std::uint32_t{0});
  std::apply(
      [&](const auto&... field) {
        const auto column = [&](const auto& f) {
          using Value = detail::FieldValue<decltype(f), Record>;
          const std::size_t at = out.size();
          out.fixed(std::uint32_t{0});
          if constexpr (std::is_same_v<Value, std::string_view>)
            detail::encode_text<Record>(out, codec, records, f, scratch);
          else
            detail::encode_column<Record, Value>(out, codec, records, f, base, scratch);
          out.patch_size(at);
        };
        (column(field), ...);
      },
      Record::fields());
  out.patch_size(size_at);
}

inline BlockHeader read_block_header(ByteSource& in) {
  BlockHeader h;
  h.kind = static_cast<std::uint16_t>(in.varint());
  h.lane = static_cast<std::uint32_t>(in.varint());
  h.count = static_cast<std::uint32_t>(in.varint());
  h.columns = static_cast<std::uint32_t>(in.varint());
  h.size = in.fixed<std::uint32_t>();
  if (h.count == 0 || h.count > kMaxBlockRecords || h.size > in.remaining()) in.fail();
  return h;
}

// Decodes the columns of a block (`columns` is exactly its `size` bytes) into `records`, which has
// `header.count` default-made elements. Columns that a newer writer added at the end are skipped;
// ones that an older writer lacked keep their defaults. False when the bytes make no sense.
template <class Record, class Store>
bool decode_block(std::span<const std::uint8_t> columns, const BlockHeader& header,
                  const Decompressor& codec, std::uint64_t base, std::span<Record> records,
                  BlockScratch& scratch, Store&& store) {
  ByteSource in(columns);
  std::uint32_t left = header.columns;
  bool good = true;
  std::apply(
      [&](const auto&... field) {
        const auto column = [&](const auto& f) {
          if (left == 0 || !good) return;
          --left;
          using Value = detail::FieldValue<decltype(f), Record>;
          const auto size = in.fixed<std::uint32_t>();
          ByteSource one(in.bytes(size));
          if (!in.ok())
            good = false;
          else if constexpr (std::is_same_v<Value, std::string_view>)
            good = detail::decode_text<Record>(one, codec, records, f, scratch, store);
          else
            good = detail::decode_column<Record, Value>(one, codec, records, f, base, scratch);
        };
        (column(field), ...);
      },
      Record::fields());
  return good && in.ok();
}

}  // namespace mfushim::format
