// The frame of a log: file header, segment headers, and how a damaged file is read on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "mfushim/format/wire.hpp"

namespace mfushim::format {

// The first bytes of every log. The non-ASCII first byte, the two line ends and the DOS end-of-file
// show at once when a transfer treated the log as text.
inline constexpr std::array<std::uint8_t, 8> kFileMagic = {0x89, 'M',  'F',  'L',
                                                           '\r', '\n', 0x1a, '\n'};
inline constexpr std::uint16_t kVersionMajor = 1;
inline constexpr std::uint16_t kVersionMinor = 2;
inline constexpr std::size_t kFileHeaderSize = 64;

// Deviations of one writer that a reader must know of, as bits; none yet.
inline constexpr std::uint64_t kKnownQuirks = 0;

struct FileHeader {
  std::uint16_t major = kVersionMajor;
  std::uint16_t minor = kVersionMinor;
  std::uint64_t quirks = 0;
  std::uint64_t created_unix_ns = 0;
  std::array<std::uint8_t, 16> log_id{};           // random; tells two logs of one name apart
  std::uint64_t ticks_per_second = 1'000'000'000;  // of host stamps; refined by clock anchors
};

inline void write_file_header(ByteSink& out, const FileHeader& h) {
  const std::size_t begin = out.size();
  out.bytes(kFileMagic.data(), kFileMagic.size());
  out.fixed(h.major);
  out.fixed(h.minor);
  out.fixed(static_cast<std::uint32_t>(kFileHeaderSize));
  out.fixed(h.quirks);
  out.fixed(h.created_unix_ns);
  out.bytes(h.log_id.data(), h.log_id.size());
  out.fixed(h.ticks_per_second);
  out.fixed(std::uint32_t{0});
  if (!out.overflow()) out.fixed(crc32c(out.written().subspan(begin)));
}

enum class HeaderFault { kNone, kShort, kMagic, kVersion, kChecksum };

// `memory` starts at the file's first byte; headers of later minor versions may be longer than
// ours.
inline HeaderFault read_file_header(std::span<const std::uint8_t> memory, FileHeader& h,
                                    std::size_t& header_size) {
  if (memory.size() < kFileMagic.size()) return HeaderFault::kShort;
  if (std::memcmp(memory.data(), kFileMagic.data(), kFileMagic.size()) != 0)
    return HeaderFault::kMagic;
  if (memory.size() < kFileHeaderSize) return HeaderFault::kShort;
  ByteSource in(memory.subspan(kFileMagic.size()));
  h.major = in.fixed<std::uint16_t>();
  h.minor = in.fixed<std::uint16_t>();
  header_size = in.fixed<std::uint32_t>();
  if (h.major != kVersionMajor) return HeaderFault::kVersion;
  if (header_size < kFileHeaderSize || header_size > memory.size()) return HeaderFault::kShort;
  h.quirks = in.fixed<std::uint64_t>();
  h.created_unix_ns = in.fixed<std::uint64_t>();
  const auto id = in.bytes(h.log_id.size());
  std::memcpy(h.log_id.data(), id.data(), id.size());
  h.ticks_per_second = in.fixed<std::uint64_t>();
  std::uint32_t stored;
  std::memcpy(&stored, memory.data() + header_size - 4, 4);
  if (stored != crc32c(memory.first(header_size - 4)) || h.ticks_per_second == 0)
    return HeaderFault::kChecksum;
  return HeaderFault::kNone;
}

// Random constant at the start of each segment: after a damaged header the reader looks for the
// next one and believes it only when the header's checksum fits.
inline constexpr std::uint64_t kSegmentMarker = 0xd1f5'8e2b'9c47'a36dULL;
inline constexpr std::size_t kSegmentHeaderSize = 48;
inline constexpr std::size_t kMaxSegmentPayload = std::size_t{16} << 20;

struct SegmentHeader {
  std::uint32_t payload_size = 0;
  std::uint32_t block_count = 0;
  std::uint64_t first_ticks = 0;  // host clock: earliest stamp of a host record in the segment
  std::uint64_t last_ticks = 0;   // host clock: when the segment was closed
  std::uint32_t sequence = 0;     // 0, 1, 2 ... in the file; a jump is a lost segment
  std::uint32_t flags = 0;        // bit 0: the writer's orderly last segment
  std::uint32_t payload_crc = 0;
};

inline constexpr std::uint32_t kSegmentLast = 1u << 0;

inline void write_segment_header(ByteSink& out, const SegmentHeader& h) {
  const std::size_t begin = out.size();
  out.fixed(kSegmentMarker);
  out.fixed(h.payload_size);
  out.fixed(h.block_count);
  out.fixed(h.first_ticks);
  out.fixed(h.last_ticks);
  out.fixed(h.sequence);
  out.fixed(h.flags);
  out.fixed(h.payload_crc);
  if (!out.overflow()) out.fixed(crc32c(out.written().subspan(begin)));
}

// Empty when the bytes at the start of `memory` are not a whole, undamaged segment header.
inline std::optional<SegmentHeader> read_segment_header(std::span<const std::uint8_t> memory) {
  if (memory.size() < kSegmentHeaderSize) return std::nullopt;
  const auto head = memory.first(kSegmentHeaderSize);
  ByteSource in(head);
  if (in.fixed<std::uint64_t>() != kSegmentMarker) return std::nullopt;
  SegmentHeader h;
  h.payload_size = in.fixed<std::uint32_t>();
  h.block_count = in.fixed<std::uint32_t>();
  h.first_ticks = in.fixed<std::uint64_t>();
  h.last_ticks = in.fixed<std::uint64_t>();
  h.sequence = in.fixed<std::uint32_t>();
  h.flags = in.fixed<std::uint32_t>();
  h.payload_crc = in.fixed<std::uint32_t>();
  if (in.fixed<std::uint32_t>() != crc32c(head.first(kSegmentHeaderSize - 4))) return std::nullopt;
  if (h.payload_size > kMaxSegmentPayload) return std::nullopt;
  return h;
}

}  // namespace mfushim::format
