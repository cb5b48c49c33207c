// Definitions: equal content gets one id, found without a lock. They lie in the ring file, so they
// survive with the records that refer to them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "mfushim/format/ring.hpp"

namespace mfushim::shim {

// Makes the table for `ring`; false when there is no memory. Forgets the table of before.
bool use_intern_table(format::Ring ring) noexcept;
void drop_intern_table() noexcept;

namespace detail {

// Bytes of a definition with and without texts; it passes through the calling thread's stack.
inline constexpr std::size_t kMaxDefinition = 8192;
inline constexpr std::size_t kMaxNumbers = 256;

template <class Record>
inline constexpr bool kHasText = std::apply(
    [](const auto&... f) {
      return (std::is_same_v<format::detail::FieldValue<decltype(f), Record>, std::string_view> ||
              ...);
    },
    Record::fields());

// 0 when there is no room.
std::uint32_t define_bytes(format::Kind kind, std::span<const std::uint8_t> bytes) noexcept;
// New content is only added while more than `reserve` definitions have room.
std::uint32_t intern_bytes(format::Kind kind, std::span<const std::uint8_t> bytes,
                           std::size_t reserve) noexcept;

template <class Record, class Use>
std::uint32_t with_bytes(const Record& record, Use&& use) noexcept {
  std::array<std::uint8_t, kHasText<Record> ? kMaxDefinition : kMaxNumbers> memory;
  format::ByteSink out(memory);
  format::write_fields(out, record);
  return use(Record::kKind, out.overflow() ? std::span<const std::uint8_t>{} : out.written());
}

}  // namespace detail

// Adds a fact or definition without looking for an equal one; gives its id.
template <class Record>
std::uint32_t define(const Record& record) noexcept {
  return detail::with_bytes(record, detail::define_bytes);
}

template <class Record>
std::uint32_t intern_record(const Record& record, std::size_t reserve = 0) noexcept {
  return detail::with_bytes(record, [reserve](format::Kind kind, std::span<const std::uint8_t> b) {
    return detail::intern_bytes(kind, b, reserve);
  });
}

}  // namespace mfushim::shim
