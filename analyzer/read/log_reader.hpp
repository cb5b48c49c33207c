// Reads a log segment by segment, in memory that does not depend on its length, and reads on where
// a part is damaged.
//
// A file that is no log, or of a newer major version, is an error. Everything after the header is
// data that may be torn: a damaged segment is skipped by its frame where the frame still fits, else
// the next segment header with a right checksum is looked for. What was skipped is told in
// damages().
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mfushim/format/segment.hpp"
#include "read/byte_file.hpp"
#include "read/zstd_codec.hpp"

namespace mfushim::read {

// Bytes of a log that could not be read, and the host time whose records they held.
struct Damage {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::string what;
  bool at_end = false;  // no whole segment follows
  // Host ticks; from: end of the last whole segment before, to: start of the next, or what a torn
  // segment's own header says. Absent: not known.
  std::optional<std::uint64_t> from_ticks;
  std::optional<std::uint64_t> to_ticks;
};

class LogReader {
 public:
  explicit LogReader(const std::string& path);

  const std::string& path() const { return file_.path(); }
  const format::FileHeader& header() const { return header_; }

  // Goes to the next whole segment; false at the end of the log. Texts of the records of the
  // segment before are gone then.
  bool next();
  const format::SegmentHeader& segment() const { return segment_; }

  // Calls visitor.records(lane, span of records) for each block of the segment, and
  // visitor.unknown(block header, its bytes) for kinds that this version does not know.
  template <class Visitor>
  void blocks(Visitor& visitor);

  const std::vector<Damage>& damages() const { return damages_; }
  // Records of kinds that this version does not know, by kind.
  const std::map<std::uint16_t, std::uint64_t>& unknown_records() const { return unknown_; }
  // The writer said that this is all there is.
  bool ended_in_order() const { return ended_in_order_; }

 private:
  void read_header();
  bool read_segment();
  void skip_damaged(std::optional<format::SegmentHeader> damaged, const char* what);
  std::optional<format::SegmentHeader> header_at(std::uint64_t offset) const;
  std::uint64_t find_segment(std::uint64_t offset) const;
  void note_sequence();
  const char* keep_text(std::string_view text);
  void note_bad_block(std::size_t position, std::uint64_t bytes, const char* what);
  template <class Record, class Visitor>
  void decode(const format::BlockHeader& block, std::span<const std::uint8_t> columns,
              Visitor& visitor);

  ByteFile file_;
  ZstdCodec codec_;
  format::FileHeader header_;
  format::SegmentHeader segment_;
  std::uint64_t offset_ = 0;          // of the next segment
  std::uint64_t segment_offset_ = 0;  // of the present one
  std::vector<std::uint8_t> payload_;
  std::vector<std::byte> records_;
  std::deque<std::string> texts_;
  std::unique_ptr<format::BlockScratch> scratch_;
  std::vector<Damage> damages_;
  std::map<std::uint16_t, std::uint64_t> unknown_;
  std::optional<std::uint64_t> last_ticks_;
  std::uint32_t expected_sequence_ = 0;
  bool damage_open_ = false;  // the last damage waits for the segment that follows it
  bool ended_in_order_ = false;
};

template <class Record, class Visitor>
void LogReader::decode(const format::BlockHeader& block, std::span<const std::uint8_t> columns,
                       Visitor& visitor) {
  auto* const typed = reinterpret_cast<Record*>(records_.data());
  std::uninitialized_fill_n(typed, block.count, Record{});
  const std::span<Record> records(typed, block.count);
  const std::uint64_t base = format::is_host_call(Record::kKind) ? segment_.first_ticks : 0;
  const bool good =
      format::decode_block<Record>(columns, block, codec_.decompressor(), base, records, *scratch_,
                                   [this](std::string_view text) { return keep_text(text); });
  if (good)
    visitor.records(block.lane, std::span<const Record>(records));
  else
    note_bad_block(static_cast<std::size_t>(columns.data() - payload_.data()), columns.size(),
                   "a block makes no sense");
}

template <class Visitor>
void LogReader::blocks(Visitor& visitor) {
  format::ByteSource in(std::span<const std::uint8_t>(payload_).first(segment_.payload_size));
  for (std::uint32_t i = 0; i < segment_.block_count; ++i) {
    const std::size_t at = in.position();
    const format::BlockHeader block = format::read_block_header(in);
    if (!in.ok())
      return note_bad_block(at, segment_.payload_size - at, "a block header makes no sense");
    const auto columns = in.bytes(block.size);
    const bool known =
        format::with_record(static_cast<format::Kind>(block.kind),
                            [&]<class Record>() { decode<Record>(block, columns, visitor); });
    if (known) continue;
    unknown_[block.kind] += block.count;
    visitor.unknown(block, columns);
  }
}

}  // namespace mfushim::read
