// The window over the text, and files through zlib, which passes plain ones through.
#include "read/json_stream.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "read/format_error.hpp"

namespace mfushim::read {

ByteSupply open_text(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    throw FormatError::in_file(path, std::string("cannot be opened: ") + strerror(errno));
  struct stat status {};
  if (fstat(file, &status) == 0 && S_ISDIR(status.st_mode)) {
    ::close(file);
    throw FormatError::in_file(path, "is a directory");
  }
  const std::shared_ptr<gzFile_s> text(gzdopen(file, "rb"), [](gzFile f) { gzclose(f); });
  if (!text) {
    ::close(file);
    throw std::bad_alloc();
  }
  gzbuffer(text.get(), 1u << 18);
  return {path, [path, text](std::span<char> to) {
            const int n = gzread(text.get(), to.data(), static_cast<unsigned>(to.size()));
            int error = Z_OK;
            const char* what = gzerror(text.get(), &error);
            if (error == Z_BUF_ERROR)
              throw FormatError::at_offset(path, static_cast<std::uint64_t>(gzoffset(text.get())),
                                           "the gzip file is cut off");
            if (n < 0 || (error != Z_OK && error != Z_STREAM_END))
              throw FormatError::at_offset(
                  path, static_cast<std::uint64_t>(gzoffset(text.get())),
                  std::string("cannot be read: ") + (error == Z_ERRNO ? strerror(errno) : what));
            return static_cast<std::size_t>(n);
          }};
}

JsonStream::JsonStream(ByteSupply supply)
    : supply_(std::move(supply)), memory_(std::make_unique_for_overwrite<char[]>(capacity_)) {
  fill();
  if (end_ == 0) throw FormatError::in_file(supply_.name, "is empty");
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (std::string_view(memory_.get(), end_).starts_with(kByteOrderMark))
    begin_ = kByteOrderMark.size();
}

void JsonStream::fail(std::size_t at, const std::string& what) const {
  throw FormatError::at_offset(supply_.name, dropped_ + at, what);
}

bool JsonStream::fill() {
  const std::size_t n = supply_.read(std::span(memory_.get() + end_, capacity_ - end_));
  end_ += n;
  return n != 0;
}

void JsonStream::fetch() {
  const std::size_t left = end_ - begin_;
  std::memmove(memory_.get(), memory_.get() + begin_, left);
  dropped_ += begin_;
  begin_ = 0;
  end_ = left;
  if (left > capacity_ / 2) grow();
  if (!fill()) fail(end_, "the text ends too early: the file is cut off");
}

void JsonStream::grow() {
  if (end_ >= kMaxValue) fail(0, "a value larger than any profiler writes");
  capacity_ *= 2;
  auto larger = std::make_unique_for_overwrite<char[]>(capacity_);
  std::memcpy(larger.get(), memory_.get(), end_);
  memory_ = std::move(larger);
}

void JsonStream::expect_end() {
  for (;;) {
    JsonCursor cursor(std::string_view(memory_.get() + begin_, end_ - begin_));
    if (!cursor.at_end()) fail(begin_ + cursor.offset(), "text after the end of the trace");
    dropped_ += end_;
    begin_ = end_ = 0;
    if (!fill()) return;
  }
}

}  // namespace mfushim::read
