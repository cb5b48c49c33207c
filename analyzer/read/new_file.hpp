// A file that appears whole or not at all: created exclusively, removed again unless it is kept.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace mfushim::read {

class NewFile {
 public:
  // Throws FormatError when `path` exists or cannot be created. Mode 0600, as logs may tell
  // secrets.
  explicit NewFile(std::string path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(std::span<const std::uint8_t> bytes);
  void keep();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int file_ = -1;
};

}  // namespace mfushim::read
