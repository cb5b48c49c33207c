// A damaged log: cut anywhere it loses whole segments and nothing else, and no flipped byte goes
// unnoticed or takes more than its own segment with it.
#include <catch2/catch.hpp>

#include "read/format_error.hpp"
#include "read/log_reader.hpp"
#include "read/text_form.hpp"
#include "support.hpp"

namespace mfushim {
namespace {

constexpr std::string_view kThreeSegments = R"(mfushim-log created_unix_ns=5 log_id=0102
segment first_ticks=100 last_ticks=200
block fact
  key="host" value="a host with a name of some length, so that columns compress, compress, compress"
block launch lane=1
  start=100 duration=10 sequence=1 correlation=1
segment first_ticks=300 last_ticks=400
block launch lane=1
  start=300 duration=10 sequence=2 correlation=2
  start=320 duration=10 sequence=3 correlation=3
segment first_ticks=500 last_ticks=600 flags=1
block gpu_kernel lane=1
  config=1 duration=50 start=1000 correlation=1
)";

struct Reading {
  std::vector<std::uint32_t> segments;  // sequence numbers
  std::size_t records = 0;
  std::vector<read::Damage> damages;
  bool ended_in_order = false;

  template <class Record>
  void add(std::span<const Record> more) {
    records += more.size();
  }
};

struct Counter {
  Reading& reading;
  template <class Record>
  void records(std::uint32_t, std::span<const Record> records) {
    reading.add(records);
  }
  void unknown(const format::BlockHeader&, std::span<const std::uint8_t>) {}
};

Reading read_log(const std::string& path) {
  Reading reading;
  read::LogReader reader(path);
  Counter counter{reading};
  while (reader.next()) {
    reading.segments.push_back(reader.segment().sequence);
    reader.blocks(counter);
  }
  reading.damages = reader.damages();
  reading.ended_in_order = reader.ended_in_order();
  return reading;
}

// Offsets behind the header and behind each segment.
std::vector<std::size_t> boundaries_of(const std::string& bytes) {
  std::vector<std::size_t> boundaries = {format::kFileHeaderSize};
  while (boundaries.back() < bytes.size()) {
    const auto* at = reinterpret_cast<const std::uint8_t*>(bytes.data()) + boundaries.back();
    const auto header =
        format::read_segment_header(std::span(at, bytes.size() - boundaries.back()));
    REQUIRE(header);
    boundaries.push_back(boundaries.back() + format::kSegmentHeaderSize + header->payload_size);
  }
  return boundaries;
}

struct Log {
  test::TempFolder folder;
  std::string bytes = test::read_file(test::assemble(folder, "whole", kThreeSegments));
  std::vector<std::size_t> boundaries = boundaries_of(bytes);
  std::size_t segments_before(std::size_t offset) const {
    std::size_t n = 0;
    while (n + 1 < boundaries.size() && boundaries[n + 1] <= offset) ++n;
    return n;
  }
};

}  // namespace

TEST_CASE("a log that is cut at any byte reads up to its last whole segment", "[format]") {
  const Log log;
  REQUIRE(log.boundaries.size() == 4);
  for (std::size_t size = 0; size <= log.bytes.size(); ++size) {
    INFO("cut at " << size << " of " << log.bytes.size());
    const std::string path = log.folder.file("cut.mfl", log.bytes.substr(0, size));
    if (size < format::kFileHeaderSize) {
      CHECK_THROWS_AS(read::LogReader(path), read::FormatError);
      continue;
    }
    const Reading reading = read_log(path);
    const std::size_t whole = log.segments_before(size);
    CHECK(reading.segments.size() == whole);
    const bool at_boundary = log.boundaries[whole] == size;
    REQUIRE(reading.damages.size() == (at_boundary ? 0 : 1));
    CHECK(reading.ended_in_order == (size == log.bytes.size()));
    if (at_boundary) continue;
    CHECK(reading.damages[0].at_end);
    CHECK(reading.damages[0].offset == log.boundaries[whole]);
    CHECK(reading.damages[0].bytes == size - log.boundaries[whole]);
    const bool header_is_whole = size >= log.boundaries[whole] + format::kSegmentHeaderSize;
    CHECK(reading.damages[0].to_ticks.has_value() == header_is_whole);
    if (header_is_whole) CHECK(*reading.damages[0].to_ticks == 200 * (whole + 1));
  }
}

TEST_CASE("a flipped bit costs the segment that holds it and no other", "[format]") {
  const Log log;
  for (std::size_t at = 0; at < log.bytes.size(); ++at) {
    for (const int bit : {0, 4, 7}) {
      INFO("bit " << bit << " of byte " << at);
      std::string bytes = log.bytes;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      const std::string path = log.folder.file("flipped.mfl", bytes);
      if (at < format::kFileHeaderSize) {
        CHECK_THROWS_AS(read::LogReader(path), read::FormatError);
        continue;
      }
      const auto hit = static_cast<std::uint32_t>(log.segments_before(at));
      std::vector<std::uint32_t> expected = {0, 1, 2};
      expected.erase(expected.begin() + hit);
      const Reading reading = read_log(path);
      CHECK(reading.segments == expected);
      REQUIRE(reading.damages.size() == 1);
      CHECK(reading.damages[0].offset == log.boundaries[hit]);
      CHECK(reading.damages[0].bytes == log.boundaries[hit + 1] - log.boundaries[hit]);
      CHECK(reading.damages[0].at_end == (hit == 2));
    }
  }
}

TEST_CASE("missing time runs from the segment before to the segment after", "[format]") {
  const Log log;
  std::string bytes = log.bytes;
  bytes[log.boundaries[2] - 1] ^= 1;  // in the payload of the second segment
  const Reading reading = read_log(log.folder.file("gap.mfl", bytes));
  REQUIRE(reading.damages.size() == 1);
  CHECK(reading.damages[0].from_ticks == 200);
  CHECK(reading.damages[0].to_ticks == 500);

  bytes.erase(log.boundaries[1], log.boundaries[2] - log.boundaries[1]);
  const Reading jump = read_log(log.folder.file("jump.mfl", bytes));
  REQUIRE(jump.damages.size() == 1);
  CHECK(jump.damages[0].what == "1 segments are missing");
  CHECK(jump.damages[0].from_ticks == 200);
  CHECK(jump.damages[0].to_ticks == 500);
}

TEST_CASE("garbage between segments is skipped", "[format]") {
  const Log log;
  for (const std::size_t size : {1, 7, 48, 100'000, 1'048'576 + 3}) {
    std::string bytes = log.bytes;
    bytes.insert(log.boundaries[1], std::string(size, '\x5a'));
    const Reading reading = read_log(log.folder.file("garbage.mfl", bytes));
    CHECK(reading.segments == std::vector<std::uint32_t>{0, 1, 2});
    REQUIRE(reading.damages.size() == 1);
    CHECK(reading.damages[0].bytes == size);
  }
}

}  // namespace mfushim
