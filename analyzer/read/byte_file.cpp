// Positioned reads with errors that name the file.
#include "read/byte_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "read/format_error.hpp"

namespace mfushim::read {

ByteFile::ByteFile(std::string path) : path_(std::move(path)) {
  file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file_ < 0)
    throw FormatError::in_file(path_, std::string("cannot be opened: ") + strerror(errno));
  struct stat status;
  if (::fstat(file_, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(file_);
    throw FormatError::in_file(path_, "is not a regular file");
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

ByteFile::~ByteFile() {
  ::close(file_);
}

std::size_t ByteFile::read_at(std::uint64_t offset, std::span<std::uint8_t> to) const {
  std::size_t done = 0;
  while (done < to.size()) {
    const ssize_t n =
        ::pread(file_, to.data() + done, to.size() - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0)
      throw FormatError::at_offset(path_, offset + done,
                                   std::string("cannot be read: ") + strerror(errno));
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

}  // namespace mfushim::read
