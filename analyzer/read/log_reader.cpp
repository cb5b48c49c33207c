// Frames of a log: whole segments one after the other, and the way on past damaged ones.
#include "read/log_reader.hpp"

#include <fmt/format.h>

#include <array>

#include "read/format_error.hpp"

namespace mfushim::read {

namespace {

constexpr std::uint64_t kMaxFileHeader = 64 * 1024;

const char* explain(format::HeaderFault fault) {
  switch (fault) {
    case format::HeaderFault::kShort:
      return "is shorter than a log's header";
    case format::HeaderFault::kMagic:
      return "is not an mfushim log";
    case format::HeaderFault::kVersion:
      return "is of another major version";
    case format::HeaderFault::kChecksum:
      return "the log's header is damaged (checksum)";
    case format::HeaderFault::kNone:
      break;
  }
  return "";
}

}  // namespace

LogReader::LogReader(const std::string& path)
    : file_(path),
      records_(format::kMaxBlockRecords * format::kLargestRecord),
      scratch_(std::make_unique_for_overwrite<format::BlockScratch>()) {
  read_header();
}

void LogReader::read_header() {
  std::vector<std::uint8_t> memory(std::min(file_.size(), kMaxFileHeader));
  memory.resize(file_.read_at(0, memory));
  std::size_t size = 0;
  const auto fault = format::read_file_header(memory, header_, size);
  if (fault == format::HeaderFault::kVersion)
    throw FormatError::in_file(path(),
                               fmt::format("log version {}.{} is not known to this program, which "
                                           "reads {}.x",
                                           header_.major, header_.minor, format::kVersionMajor));
  if (fault != format::HeaderFault::kNone) throw FormatError::at_offset(path(), 0, explain(fault));
  if (header_.quirks & ~format::kKnownQuirks)
    throw FormatError::at_offset(path(), 0, "the log has quirks that this program does not know");
  offset_ = size;
}

std::optional<format::SegmentHeader> LogReader::header_at(std::uint64_t offset) const {
  std::array<std::uint8_t, format::kSegmentHeaderSize> memory;
  const std::size_t n = file_.read_at(offset, memory);
  return format::read_segment_header(std::span<const std::uint8_t>(memory).first(n));
}

bool LogReader::next() {
  texts_.clear();
  while (offset_ < file_.size())
    if (read_segment()) return true;
  return false;
}

bool LogReader::read_segment() {
  const auto header = header_at(offset_);
  if (!header) {
    skip_damaged(std::nullopt, "a segment header is torn or damaged");
    return false;
  }
  const std::uint64_t begin = offset_ + format::kSegmentHeaderSize;
  if (payload_.size() < header->payload_size) payload_.resize(header->payload_size);
  const auto payload = std::span(payload_).first(header->payload_size);
  if (begin + payload.size() > file_.size() || file_.read_at(begin, payload) != payload.size()) {
    skip_damaged(header, "a segment is torn");
    return false;
  }
  if (format::crc32c(payload) != header->payload_crc) {
    skip_damaged(header, "a segment is damaged (checksum)");
    return false;
  }
  segment_ = *header;
  segment_offset_ = offset_;
  offset_ = begin + payload.size();
  note_sequence();
  last_ticks_ = segment_.last_ticks;
  ended_in_order_ = (segment_.flags & format::kSegmentLast) != 0;
  return true;
}

// Damage that follows damage without a whole segment between them is one.
void LogReader::skip_damaged(std::optional<format::SegmentHeader> damaged, const char* what) {
  std::uint64_t next = 0;
  if (damaged) {
    next = offset_ + format::kSegmentHeaderSize + damaged->payload_size;
    if (next != file_.size() && !header_at(next)) next = 0;
  }
  if (next == 0) next = find_segment(offset_ + 1);
  if (!damage_open_) {
    damages_.push_back(
        {.offset = offset_, .what = what, .from_ticks = last_ticks_, .to_ticks = {}});
    damage_open_ = true;
  }
  Damage& damage = damages_.back();
  damage.bytes = next - damage.offset;
  damage.at_end = next == file_.size();
  if (damaged) {
    if (!damage.from_ticks) damage.from_ticks = damaged->first_ticks;
    damage.to_ticks = damaged->last_ticks;
  }
  ended_in_order_ = false;
  offset_ = next;
}

// The next place from `offset` on where a whole segment header stands, or the end of the file.
std::uint64_t LogReader::find_segment(std::uint64_t offset) const {
  std::array<std::uint8_t, 8> marker;
  std::memcpy(marker.data(), &format::kSegmentMarker, marker.size());
  std::vector<std::uint8_t> window(std::size_t{1} << 20);
  while (offset < file_.size()) {
    const std::size_t n = file_.read_at(offset, window);
    const auto end = window.begin() + static_cast<std::ptrdiff_t>(n);
    for (auto at = window.begin();; ++at) {
      at = std::search(at, end, marker.begin(), marker.end());
      if (at == end) break;
      const auto here = offset + static_cast<std::uint64_t>(at - window.begin());
      if (header_at(here)) return here;
    }
    if (n < window.size()) break;
    offset += n - (marker.size() - 1);
  }
  return file_.size();
}

void LogReader::note_sequence() {
  if (damage_open_) {
    damages_.back().to_ticks = segment_.first_ticks;
    damage_open_ = false;
  } else if (segment_.sequence > expected_sequence_) {
    damages_.push_back(
        {.offset = segment_offset_,
         .what = fmt::format("{} segments are missing", segment_.sequence - expected_sequence_),
         .from_ticks = last_ticks_,
         .to_ticks = segment_.first_ticks});
  }
  expected_sequence_ = segment_.sequence + 1;
}

const char* LogReader::keep_text(std::string_view text) {
  return texts_.emplace_back(text).data();
}

void LogReader::note_bad_block(std::size_t position, std::uint64_t bytes, const char* what) {
  damages_.push_back({.offset = segment_offset_ + format::kSegmentHeaderSize + position,
                      .bytes = bytes,
                      .what = what,
                      .from_ticks = segment_.first_ticks,
                      .to_ticks = segment_.last_ticks});
}

}  // namespace mfushim::read
