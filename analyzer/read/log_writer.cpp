// Segments of an imported log, in the order in which the builder fills.
#include "read/log_writer.hpp"

#include <array>
#include <utility>

#include "read/format_error.hpp"

namespace mfushim::read {

namespace {

constexpr std::size_t kSegmentSize = format::kSegmentHeaderSize + format::kMaxSegmentPayload;

}  // namespace

LogWriter::LogWriter(std::string path, const format::FileHeader& header)
    : file_(std::move(path)),
      storage_(std::make_unique_for_overwrite<format::SegmentStorage>()),
      builder_(*storage_, codec_.compressor()),
      segment_(std::make_unique_for_overwrite<std::uint8_t[]>(kSegmentSize)) {
  std::array<std::uint8_t, format::kFileHeaderSize> memory;
  format::ByteSink out(memory);
  format::write_file_header(out, header);
  write(out.written());
}

void LogWriter::close() {
  flush(format::kSegmentLast);
  file_.keep();
}

void LogWriter::flush(std::uint32_t flags) {
  format::ByteSink out(std::span(segment_.get(), kSegmentSize));
  if (!builder_.flush(out, last_ticks_, sequence_++, flags))
    throw FormatError::in_file(file_.path(), "a segment exceeds its largest size");
  write(out.written());
}

void LogWriter::write(std::span<const std::uint8_t> bytes) {
  file_.write(bytes);
  bytes_written_ += bytes.size();
}

}  // namespace mfushim::read
