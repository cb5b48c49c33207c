// Collects records and writes them as one segment: recorder, importers and `assemble` all end here.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "mfushim/format/block.hpp"
#include "mfushim/format/file.hpp"

namespace mfushim::format {

namespace detail {

template <class... R>
constexpr std::size_t largest(std::tuple<R...>*) {
  return std::max({sizeof(R)...});
}

}  // namespace detail

inline constexpr std::size_t kLargestRecord = detail::largest(static_cast<AllRecords*>(nullptr));

// Kinds whose lane is a host thread are predicted from the segment's first host stamp.
constexpr bool is_host_call(Kind kind) {
  return kind >= Kind::kLaunch && kind < Kind::kGpuKernel;
}

// Working memory of a SegmentBuilder, about 6.6 MB, touched as far as it is used.
struct SegmentStorage {
  static constexpr std::size_t kRecords = 32768;
  static constexpr std::size_t kText = kMaxColumnText;

  struct Slot {
    std::uint32_t lane;
    Kind kind;
    alignas(8) std::array<std::byte, kLargestRecord> record;
  };
  std::array<Slot, kRecords> slots;
  std::array<std::uint32_t, kRecords> order;
  std::array<char, kText> text;
  alignas(8) std::array<std::byte, kMaxBlockRecords * kLargestRecord> typed;
  BlockScratch scratch;
};

class SegmentBuilder {
 public:
  SegmentBuilder(SegmentStorage& storage, Compressor codec) : storage_(storage), codec_(codec) {}

  // Takes a copy, text included. False when the segment is full: flush, then add again. A single
  // text that exceeds the whole room is cut, so that this always ends.
  template <class Record>
  bool add(std::uint32_t lane, Record record) {
    static_assert(std::is_trivially_copyable_v<Record>);
    if (count_ == SegmentStorage::kRecords || !keep_texts(record)) return false;
    auto& slot = storage_.slots[count_];
    slot.lane = lane;
    slot.kind = Record::kKind;
    std::memcpy(slot.record.data(), &record, sizeof record);
    storage_.order[count_] = static_cast<std::uint32_t>(count_);
    ++count_;
    if constexpr (is_host_call(Record::kKind)) first_ticks_ = std::min(first_ticks_, record.start);
    return true;
  }

  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }

  // Appends header and payload, then starts anew. `closed_ticks` is the host clock now. `out` needs
  // room for kMaxSegmentPayload at most; what is written is whole or nothing (false: out too
  // small).
  bool flush(ByteSink& out, std::uint64_t closed_ticks, std::uint32_t sequence,
             std::uint32_t flags = 0) {
    const std::size_t begin = out.size();
    SegmentHeader header;
    header.first_ticks = std::min(first_ticks_, closed_ticks);
    header.last_ticks = closed_ticks;
    header.sequence = sequence;
    header.flags = flags;
    write_segment_header(out, header);
    const std::size_t payload = out.size();
    header.block_count = write_blocks(out, header.first_ticks);
    if (out.overflow()) {
      out.truncate(begin);
      return false;
    }
    const auto bytes = out.written().subspan(payload);
    header.payload_size = static_cast<std::uint32_t>(bytes.size());
    header.payload_crc = crc32c(bytes);
    const std::size_t end = out.size();
    out.truncate(begin);
    write_segment_header(out, header);
    out.advance(end - payload);
    count_ = 0;
    text_used_ = 0;
    first_ticks_ = ~std::uint64_t{0};
    return true;
  }

 private:
  template <class Record>
  bool keep_texts(Record& record) {
    const std::size_t before = text_used_;
    bool fits = true;
    std::apply(
        [&](const auto&... field) {
          const auto keep = [&](const auto& f) {
            using Value = detail::FieldValue<decltype(f), Record>;
            if constexpr (std::is_same_v<Value, std::string_view>)
              fits = fits && keep_text(record.*f.member);
          };
          (keep(field), ...);
        },
        Record::fields());
    if (!fits) text_used_ = before;
    return fits;
  }

  bool keep_text(std::string_view& text) {
    text = text.substr(0, SegmentStorage::kText / 8);
    if (text.size() > SegmentStorage::kText - text_used_) return false;
    char* const at = storage_.text.data() + text_used_;
    if (!text.empty()) std::memcpy(at, text.data(), text.size());
    text_used_ += text.size();
    text = std::string_view(at, text.size());
    return true;
  }

  std::uint32_t write_blocks(ByteSink& out, std::uint64_t base) {
    const auto order = std::span(storage_.order).first(count_);
    const auto& slots = storage_.slots;
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      if (slots[a].kind != slots[b].kind) return slots[a].kind < slots[b].kind;
      if (slots[a].lane != slots[b].lane) return slots[a].lane < slots[b].lane;
      return a < b;
    });
    std::uint32_t blocks = 0;
    for (std::size_t i = 0; i < count_;) {
      const auto& first = slots[order[i]];
      std::size_t n = 1;
      while (n < kMaxBlockRecords && i + n < count_ && slots[order[i + n]].kind == first.kind &&
             slots[order[i + n]].lane == first.lane)
        ++n;
      with_record(first.kind,
                  [&]<class Record>() { write_block<Record>(out, order.subspan(i, n), base); });
      i += n;
      ++blocks;
    }
    return blocks;
  }

  template <class Record>
  void write_block(ByteSink& out, std::span<const std::uint32_t> members, std::uint64_t base) {
    auto* const typed = reinterpret_cast<Record*>(storage_.typed.data());
    for (std::size_t i = 0; i < members.size(); ++i)
      std::memcpy(static_cast<void*>(typed + i), storage_.slots[members[i]].record.data(),
                  sizeof(Record));
    encode_block<Record>(out, codec_, storage_.slots[members[0]].lane,
                         is_host_call(Record::kKind) ? base : 0,
                         std::span<const Record>(typed, members.size()), storage_.scratch);
  }

  SegmentStorage& storage_;
  Compressor codec_;
  std::size_t count_ = 0;
  std::size_t text_used_ = 0;
  std::uint64_t first_ticks_ = ~std::uint64_t{0};
};

}  // namespace mfushim::format
