// A regular file read by position: what the log reader needs, without mapping it (a mapped file
// that shrinks kills its reader).
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace mfushim::read {

class ByteFile {
 public:
  // Throws FormatError when `path` cannot be opened or is not a regular file.
  explicit ByteFile(std::string path);
  ~ByteFile();
  ByteFile(const ByteFile&) = delete;
  ByteFile& operator=(const ByteFile&) = delete;

  // As it was when opened.
  std::uint64_t size() const { return size_; }
  const std::string& path() const { return path_; }

  // Fills `to` from `offset` on; returns how much there was. Throws FormatError when reading fails.
  std::size_t read_at(std::uint64_t offset, std::span<std::uint8_t> to) const;

 private:
  std::string path_;
  int file_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace mfushim::read
