// Exclusive creation, whole writes and removal on failure, by the system's calls.
#include "read/new_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "read/format_error.hpp"

namespace mfushim::read {

NewFile::NewFile(std::string path) : path_(std::move(path)) {
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file_ < 0) {
    const int error = errno;
    throw FormatError::in_file(path_, error == EEXIST
                                          ? std::string("exists already; nothing is overwritten")
                                          : std::string("cannot be created: ") + strerror(error));
  }
}

NewFile::~NewFile() {
  if (file_ < 0) return;
  ::close(file_);
  ::unlink(path_.c_str());
}

void NewFile::write(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw FormatError::in_file(path_, std::string("cannot write: ") + strerror(errno));
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
}

void NewFile::keep() {
  const int file = std::exchange(file_, -1);
  if (::close(file) == 0) return;
  const int error = errno;
  ::unlink(path_.c_str());
  throw FormatError::in_file(path_, std::string("cannot write: ") + strerror(error));
}

}  // namespace mfushim::read
