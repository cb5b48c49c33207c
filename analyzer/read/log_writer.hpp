// Writes a log outside the recorded process: importers end here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "mfushim/format/segment.hpp"
#include "read/new_file.hpp"
#include "read/zstd_codec.hpp"

namespace mfushim::read {

class LogWriter {
 public:
  // Creates `path`, which must not exist. It is removed again unless close() returns.
  LogWriter(std::string path, const format::FileHeader& header);

  // `lane`: the thread of host calls, the queue of device records, else 0. Copies, text included.
  template <class Record>
  void add(std::uint32_t lane, const Record& record) {
    if constexpr (format::is_host_call(Record::kKind))
      last_ticks_ = std::max(last_ticks_, record.start + record.duration);
    if (builder_.add(lane, record)) return;
    flush(0);
    builder_.add(lane, record);
  }

  // Writes what is left as the log's orderly last segment.
  void close();

  std::uint64_t bytes_written() const { return bytes_written_; }

 private:
  void flush(std::uint32_t flags);
  void write(std::span<const std::uint8_t> bytes);

  NewFile file_;
  ZstdCodec codec_;
  std::unique_ptr<format::SegmentStorage> storage_;
  format::SegmentBuilder builder_;
  std::unique_ptr<std::uint8_t[]> segment_;
  std::uint64_t last_ticks_ = 0;
  std::uint64_t bytes_written_ = 0;
  std::uint32_t sequence_ = 0;
};

}  // namespace mfushim::read
