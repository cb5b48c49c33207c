// Bytes as a log: as they are, and with their checksums put right, which else stop most inputs at
// the door.
#include <cstring>
#include <vector>

#include "input.hpp"
#include "mfushim/format/file.hpp"
#include "read/format_error.hpp"

namespace {

using namespace mfushim;

void store_crc(std::vector<std::uint8_t>& log, std::size_t begin, std::size_t end) {
  const std::uint32_t crc = format::crc32c(std::span(log).subspan(begin, end - begin));
  std::memcpy(log.data() + end, &crc, sizeof crc);
}

// Walks the segments as their headers chain them.
std::vector<std::uint8_t> with_checksums(fuzz::Bytes bytes) {
  std::vector<std::uint8_t> log(bytes.begin(), bytes.end());
  if (log.size() < format::kFileHeaderSize) return log;
  store_crc(log, 0, format::kFileHeaderSize - 4);
  for (std::size_t at = format::kFileHeaderSize; log.size() - at >= format::kSegmentHeaderSize;) {
    std::uint32_t payload;
    std::memcpy(&payload, log.data() + at + sizeof format::kSegmentMarker, sizeof payload);
    const std::size_t begin = at + format::kSegmentHeaderSize;
    if (payload > log.size() - begin) break;
    const std::uint32_t crc = format::crc32c(std::span(log).subspan(begin, payload));
    std::memcpy(log.data() + begin - 8, &crc, sizeof crc);
    store_crc(log, at, begin - 4);
    at = begin + payload;
  }
  return log;
}

void read_log(fuzz::Bytes bytes) {
  const fuzz::InputFile log(bytes);
  try {
    fuzz::report_all(log.path());
  } catch (const read::FormatError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read_log({data, size});
  read_log(with_checksums({data, size}));
  return 0;
}
