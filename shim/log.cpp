// Makes and writes the log file.
#include "log.hpp"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace mfushim::shim {

namespace {

// Programs that close or pass on "all" descriptors go through the low ones.
constexpr int kLowestDescriptor = 500;

// The folder and its parents; 0700, since a log tells command lines and names.
bool make_folders(const char* folder) noexcept {
  char path[PATH_MAX];
  const std::size_t n = std::strlen(folder);
  if (n == 0 || n >= sizeof path) {
    errno = n == 0 ? ENOENT : ENAMETOOLONG;
    return false;
  }
  std::memcpy(path, folder, n + 1);
  for (std::size_t i = 1; i <= n; ++i) {
    if (path[i] != '/' && path[i] != '\0') continue;
    path[i] = '\0';
    if (mkdir(path, 0700) != 0 && errno != EEXIST && errno != EISDIR) {
      struct stat there;
      if (stat(path, &there) != 0) return false;
    }
    path[i] = folder[i];
  }
  return true;
}

// The host's name as part of a file name: up to its first dot, other characters as '_'.
void host_part(char (&host)[64]) noexcept {
  if (gethostname(host, sizeof host - 1) != 0) std::strcpy(host, "host");
  host[sizeof host - 1] = '\0';
  for (char* c = host; *c != '\0'; ++c) {
    if (*c == '.') *c = '\0';
    if (*c == '\0') break;
    const bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                       (*c >= '0' && *c <= '9') || *c == '-' || *c == '_';
    if (!plain) *c = '_';
  }
  if (host[0] == '\0') std::strcpy(host, "host");
}

int move_up(int fd) noexcept {
  const int high = fcntl(fd, F_DUPFD_CLOEXEC, kLowestDescriptor);
  if (high < 0) return fd;
  ::close(fd);
  return high;
}

}  // namespace

bool LogFile::create(const char* folder, long rank, const format::FileHeader& header) noexcept {
  if (!make_folders(folder) || !open_new(folder, rank)) return false;
  std::array<std::uint8_t, format::kFileHeaderSize> bytes;
  format::ByteSink out(bytes);
  format::write_file_header(out, header);
  return append(out.written());
}

bool LogFile::open_new(const char* folder, long rank) noexcept {
  char absolute[PATH_MAX], host[64], who[24] = "X";
  if (realpath(folder, absolute) == nullptr) return false;
  host_part(host);
  if (rank >= 0) std::snprintf(who, sizeof who, "%ld", rank);
  for (int again = 0; again < 10000; ++again) {
    char suffix[16] = "";
    if (again > 0) std::snprintf(suffix, sizeof suffix, "-%d", again + 1);
    const int n = std::snprintf(path_.data(), path_.size(), "%s/%s-r%s-p%d%s.mfl", absolute, host,
                                who, static_cast<int>(getpid()), suffix);
    if (n < 0 || static_cast<std::size_t>(n) >= path_.size()) {
      errno = ENAMETOOLONG;
      return false;
    }
    fd_ = open(path_.data(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd_ >= 0) break;
    if (errno != EEXIST) return false;
  }
  if (fd_ < 0) return false;
  fd_ = move_up(fd_);
  struct stat made;
  if (fstat(fd_, &made) != 0) return false;
  device_ = made.st_dev;
  inode_ = made.st_ino;
  size_ = 0;
  return true;
}

// A program may have closed our descriptor, and its number may be another file's by now.
bool LogFile::own_file() noexcept {
  struct stat now;
  const auto ours = [&] { return now.st_dev == device_ && now.st_ino == inode_; };
  if (fd_ >= 0 && fstat(fd_, &now) == 0 && ours()) return true;
  const int fd = open(path_.data(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return false;
  if (fstat(fd, &now) != 0 || !ours()) {
    ::close(fd);
    errno = ENOENT;
    return false;
  }
  fd_ = move_up(fd);
  return true;
}

bool LogFile::append(std::span<const std::uint8_t> bytes) noexcept {
  if (!own_file()) return false;
  if (write_all(bytes)) {
    size_ += bytes.size();
    return true;
  }
  const int why = errno;
  // What is left of a half-written segment would only be damage to its reader.
  [[maybe_unused]] const int cut = ftruncate(fd_, static_cast<off_t>(size_));
  errno = why;
  return false;
}

bool LogFile::write_all(std::span<const std::uint8_t> bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t n = write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

void LogFile::close() noexcept {
  struct stat now;
  if (fd_ >= 0 && fstat(fd_, &now) == 0 && now.st_dev == device_ && now.st_ino == inode_)
    ::close(fd_);
  fd_ = -1;
}

}  // namespace mfushim::shim
