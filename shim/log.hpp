// The log file of this process.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <span>

#include "mfushim/format/file.hpp"
#include "mfushim/format/ring.hpp"

namespace mfushim::shim {

class LogFile {
 public:
  // Makes FOLDER/HOST-rRANK-pPID.mfl (`rank` -1: unknown), the folder too, and writes the header.
  // False, with errno, when that fails.
  bool create(const char* folder, long rank, const format::FileHeader& header) noexcept;

  // Appends all bytes, or leaves the file as it was and is false, with errno.
  bool append(std::span<const std::uint8_t> bytes) noexcept;

  void close() noexcept;

  bool is_open() const noexcept { return fd_ >= 0; }
  const char* path() const noexcept { return path_.data(); }  // absolute
  std::uint64_t size() const noexcept { return size_; }

 private:
  bool open_new(const char* folder, long rank) noexcept;
  bool own_file() noexcept;
  bool write_all(std::span<const std::uint8_t> bytes) noexcept;

  int fd_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::uint64_t size_ = 0;
  std::array<char, format::RingHeader::kPath> path_ = {};
};

}  // namespace mfushim::shim
