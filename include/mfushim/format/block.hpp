// Blocks: the records of one kind and lane as columns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "mfushim/format/column.hpp"
#include "mfushim/format/records.hpp"
#include "mfushim/format/wire.hpp"

namespace mfushim::format {

struct BlockHeader {
  std::uint16_t kind = 0;
  std::uint32_t lane = 0;
  std::uint32_t count = 0;
  std::uint32_t columns = 0;
  std::uint64_t size = 0;  // bytes of the columns that follow
};

namespace detail {

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
inline constexpr std::size_t kColumns = std::tuple_size_v<decltype(Record::fields())>;

template <class F, class Record>
using FieldValue = std::remove_cvref_t<decltype(std::declval<Record&>().*std::declval<F>().member)>;

template <class Record>
constexpr RecordTraits traits_of() {
  RecordTraits traits{nullptr, nullptr};
  if constexpr (HasSpan<Record>)
    traits.duration = [](const void* r) { return static_cast<const Record*>(r)->duration; };
  if constexpr (HasKey<Record>)
    traits.key = [](const void* r) { return static_cast<const Record*>(r)->key(); };
  return traits;
}

// One field of a record kind, as the coder needs it.
struct Layout {
  std::size_t offset;
  std::uint8_t width;
  bool is_signed;
  bool is_text;
  Transform transform;
};

template <class Record>
std::array<Layout, kColumns<Record>> layout_of() {
  const Record record{};
  const auto one = [&](const auto& field) {
    using Value = FieldValue<decltype(field), Record>;
    const auto* const at = reinterpret_cast<const char*>(&(record.*field.member));
    return Layout{static_cast<std::size_t>(at - reinterpret_cast<const char*>(&record)),
                  sizeof(Value), std::is_signed_v<Value>, std::is_same_v<Value, std::string_view>,
                  field.transform};
  };
  return std::apply([&](const auto&... field) { return std::array{one(field)...}; },
                    Record::fields());
}

// The records of one block as memory.
template <class Byte>
struct RecordsOf {
  Byte* first;
  std::size_t stride;
  std::size_t count;
  std::span<const Layout> fields;
  RecordTraits traits;

  ColumnOf<Byte> column(const Layout& f) const {
    return {first + f.offset, stride, count, f.width, f.is_signed};
  }
};

inline void encode_columns(ByteSink& out, const Compressor& codec, std::uint64_t base,
                           const RecordsOf<const std::byte>& records, BlockScratch& scratch) {
  for (const Layout& f : records.fields) {
    const std::size_t size_at = out.size();
    out.fixed(std::uint32_t{0});
    const ConstColumn c = records.column(f);
    if (f.is_text)
      encode_texts(out, codec, c.first, c.stride, c.count, scratch);
    else
      encode_integers(out, codec, c, records.first, f.transform, records.traits, base, scratch);
    out.patch_size(size_at);
  }
}

inline bool decode_columns(ByteSource& in, std::uint32_t columns, const Decompressor& codec,
                           std::uint64_t base, const RecordsOf<std::byte>& records,
                           BlockScratch& scratch, const TextStore& store) {
  for (const Layout& f : records.fields) {
    if (columns-- == 0) break;
    ByteSource one(in.bytes(in.fixed<std::uint32_t>()));
    if (!in.ok()) return false;
    const Column c = records.column(f);
    const bool good =
        f.is_text ? decode_texts(one, codec, c.first, c.stride, c.count, scratch, store)
                  : decode_integers(one, codec, c, records.first, records.traits, base, scratch);
    if (!good) return false;
  }
  return true;
}

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
  const auto fields = detail::layout_of<Record>();
  detail::encode_columns(out, codec, base,
                         {reinterpret_cast<const std::byte*>(records.data()), sizeof(Record),
                          records.size(), fields, detail::traits_of<Record>()},
                         scratch);
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
  const detail::TextStore keep{
      [](void* context, std::string_view text) -> const char* {
        return (*static_cast<std::remove_reference_t<Store>*>(context))(text);
      },
      const_cast<void*>(static_cast<const void*>(&store))};
  ByteSource in(columns);
  const auto fields = detail::layout_of<Record>();
  return detail::decode_columns(in, header.columns, codec, base,
                                {reinterpret_cast<std::byte*>(records.data()), sizeof(Record),
                                 records.size(), fields, detail::traits_of<Record>()},
                                scratch, keep);
}

}  // namespace mfushim::format
