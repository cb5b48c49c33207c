// Moves what the ring file of a killed process holds into its log: done by `mfushim report`, and by
// the recorder of the next process of the same user, so that tmpfs does not fill up.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <span>

#include "mfushim/format/ring_drain.hpp"

namespace mfushim::format {

enum class RingFate {
  kMoved,    // into the log; the ring file is gone
  kUnused,   // never came into use; gone too
  kAlive,    // its process runs, or somebody else is at it
  kForeign,  // another user's, or no ring file
  kOther,    // of a build with another layout
  kNoLog,    // its log is not where it was
  kChanged,  // its log is not as the process left it
  kFailed,   // a system call failed, see `error`
};

struct RingOutcome {
  RingFate fate = RingFate::kForeign;
  std::uint64_t records = 0;  // moved
  int error = 0;
  std::array<char, RingHeader::kPath> log_path{};
};

// When a process began, in clock ticks after boot (field 22 of /proc/PID/stat); 0: there is none.
inline std::uint64_t process_start_ticks(int pid) {
  std::array<char, 1024> text;
  std::snprintf(text.data(), text.size(), "/proc/%d/stat", pid);
  const int fd = ::open(text.data(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t n = ::read(fd, text.data(), text.size() - 1);
  ::close(fd);
  text[n > 0 ? static_cast<std::size_t>(n) : 0] = '\0';
  // The second field, a name in parentheses, may hold anything.
  const char* at = std::strrchr(text.data(), ')');
  for (int field = 2; at != nullptr && field < 22; ++field) at = std::strchr(at + 1, ' ');
  return at != nullptr ? std::strtoull(at + 1, nullptr, 10) : 0;
}

namespace detail {

class OwnedDescriptor {
 public:
  explicit OwnedDescriptor(int fd) : fd_(fd) {}
  ~OwnedDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  OwnedDescriptor(const OwnedDescriptor&) = delete;
  OwnedDescriptor& operator=(const OwnedDescriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

// The log of a ring, opened and compared with what the ring knows of it.
struct LogOfRing {
  int fd = -1;
  std::uint64_t bytes = 0;

  RingFate open_as_left(const RingHeader& h) {
    fd = ::open(h.log_path.data(), O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) return errno == ENOENT ? RingFate::kNoLog : RingFate::kFailed;
    struct stat info;
    std::array<std::uint8_t, kFileHeaderSize> head;
    if (::fstat(fd, &info) != 0) return RingFate::kFailed;
    if (::pread(fd, head.data(), head.size(), 0) != static_cast<ssize_t>(head.size()) ||
        head != h.log_header)
      return RingFate::kChanged;
    bytes = static_cast<std::uint64_t>(info.st_size);
    const std::uint64_t whole = h.log_bytes.load(), flight = h.flight_bytes.load();
    const std::uint64_t most = flight == RingHeader::kNoFlight ? whole : flight;
    return bytes >= whole && bytes <= most ? RingFate::kMoved : RingFate::kChanged;
  }

  bool append(std::span<const std::uint8_t> data) const {
    while (!data.empty()) {
      const ssize_t n = ::write(fd, data.data(), data.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return false;
      data = data.subspan(static_cast<std::size_t>(n));
    }
    return true;
  }
};

// The latest host stamp that the ring knows: when its last segment counts as closed.
inline std::uint64_t last_ticks(const Ring& ring) {
  const RingHeader& h = ring.header();
  std::uint64_t last = 0;
  for (const ClockAnchor& anchor : h.anchor) last = std::max(last, anchor.ticks);
  for (RingChunk& chunk : ring.chunks()) {
    if (chunk.state.load() != ChunkState::kOwned) continue;
    const auto count = std::min<std::size_t>(chunk.count.load(), RingChunk::kSlots);
    for (const RingSlot& slot : std::span(chunk.slots).first(count)) {
      if (!is_host_call(slot.kind)) continue;
      CallBase call;
      std::memcpy(&call, slot.record.data(), sizeof call);
      last = std::max(last, call.start + call.duration);
    }
  }
  return last;
}

inline RingOutcome move_ring(const Ring& ring, DrainMemory& memory, Compressor codec) {
  RingOutcome outcome;
  RingHeader& h = ring.header();
  h.log_path.back() = '\0';
  std::memcpy(outcome.log_path.data(), h.log_path.data(), h.log_path.size() - 1);
  LogOfRing log;
  outcome.fate = log.open_as_left(h);
  outcome.error = errno;
  const OwnedDescriptor owner(log.fd);
  if (outcome.fate != RingFate::kMoved) return outcome;
  const auto append = [&log](std::span<const std::uint8_t> data) { return log.append(data); };
  RingDrain drain(ring, memory, codec, append);
  const std::uint64_t good = drain.good_bytes(h, log.bytes);
  if (good == log.bytes || ::ftruncate(log.fd, static_cast<off_t>(good)) == 0) {
    drain.resume(good);
    outcome.records = drain.pending();
    const std::uint64_t end = last_ticks(ring);
    drain.add(0, Loss{LossCause::kKilled, 0, end, end, "the process ended without notice"});
    if (drain.drain({.now = end, .summary = true})) return outcome;
  }
  outcome.fate = RingFate::kFailed;
  outcome.error = errno;
  return outcome;
}

// Owned by this user, and by no process that lives. The lock goes with the process that holds it,
// in whichever container that is; a program that closes all descriptors loses it and still lives.
inline bool orphaned(int fd, const RingHeader& h) {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  if (::fcntl(fd, F_SETLK, &lock) != 0) return false;
  const std::uint64_t start = process_start_ticks(static_cast<int>(h.pid));
  return h.pid == 0 || start == 0 || start != h.process_start;
}

}  // namespace detail

// Recovers the ring file at `path`. `memory` is overwritten.
inline RingOutcome recover_ring(const char* path, DrainMemory& memory, Compressor codec) {
  constexpr std::time_t kSurelyUnused = 60;  // seconds; younger ones may be in the making
  RingOutcome outcome;
  const detail::OwnedDescriptor fd(::open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  struct stat info;
  if (fd.get() < 0 || ::fstat(fd.get(), &info) != 0 || info.st_uid != geteuid()) return outcome;
  const auto bytes = static_cast<std::size_t>(info.st_size);
  if (bytes < kMinRingBytes) return outcome;
  void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (at == MAP_FAILED) return outcome;
  const Ring ring(static_cast<std::byte*>(at), bytes);
  const RingHeader& h = ring.header();
  if (!detail::orphaned(fd.get(), h))
    outcome.fate = RingFate::kAlive;
  else if (h.magic == 0 && std::time(nullptr) - info.st_mtime > kSurelyUnused)
    outcome.fate = RingFate::kUnused;
  else if (ring_readable(h, bytes))
    outcome = detail::move_ring(ring, memory, codec);
  else if (h.magic == kRingMagic)
    outcome.fate = RingFate::kOther;
  ::munmap(at, bytes);
  if (outcome.fate == RingFate::kMoved || outcome.fate == RingFate::kUnused) ::unlink(path);
  return outcome;
}

}  // namespace mfushim::format
