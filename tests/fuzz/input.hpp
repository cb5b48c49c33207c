// What the fuzz targets share: input as a file, and where their logs go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

// The entry point that libFuzzer and our own driver call. Nothing that FormatError tells is a
// fault; everything else that ends the process is.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace mfushim::fuzz {

using Bytes = std::span<const std::uint8_t>;

// A regular file in memory, for readers that take a path.
class InputFile {
 public:
  explicit InputFile(Bytes bytes);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  int file_;
  std::string path_;
};

// A path where no file is, and none is left.
class OutputPath {
 public:
  OutputPath();
  ~OutputPath();
  OutputPath(const OutputPath&) = delete;
  OutputPath& operator=(const OutputPath&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Ends the process, so that the driver tells the input, unless `truth` holds.
void require(bool truth, const char* what);

// Reads a log and makes every report of it.
void report_all(const std::string& log);

}  // namespace mfushim::fuzz
