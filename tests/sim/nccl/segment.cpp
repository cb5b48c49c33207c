// See segment.hpp. Layout: one RankState per rank, then the payloads, which take memory only when
// used.
#include "segment.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

namespace mfusim::nccl {
namespace {

// Process ids mean something only within one pid namespace.
uint64_t pid_namespace() {
  struct stat found {};
  return stat("/proc/self/ns/pid", &found) == 0 ? found.st_ino : 0;
}

}  // namespace

std::chrono::seconds patience() {
  const char* text = std::getenv("MFUSIM_NCCL_TIMEOUT_S");
  const long given = text != nullptr ? std::strtol(text, nullptr, 10) : 0;
  return std::chrono::seconds(given > 0 ? given : 120);
}

// What one rank writes; the messages are those it sends and receives, by peer.
struct Segment::RankState {
  std::atomic<uint32_t> attached;
  std::atomic<uint32_t> left;
  std::atomic<int32_t> pid;
  std::atomic<uint64_t> pid_namespace;
  Arrival collectives[2];
  SplitRequest splits[2];

  // Followed by [ranks][2] sent and [ranks][2] received arrivals, and [ranks] counts of signals.
  Arrival* messages() { return reinterpret_cast<Arrival*>(this + 1); }
  SignalCount* signals(int ranks) {
    return reinterpret_cast<SignalCount*>(messages() + 4 * static_cast<size_t>(ranks));
  }
  static size_t bytes(int ranks) {
    return sizeof(RankState) +
           static_cast<size_t>(ranks) * (4 * sizeof(Arrival) + sizeof(SignalCount));
  }
};

size_t Segment::states_bytes(int ranks) {
  constexpr size_t kPage = 4096;
  const size_t bytes = static_cast<size_t>(ranks) * RankState::bytes(ranks);
  return (bytes + kPage - 1) / kPage * kPage;
}

size_t Segment::total_bytes(int ranks) {
  const auto count = static_cast<size_t>(ranks);
  return states_bytes(ranks) + 2 * (count + count * count) * kMaxPayload;
}

Segment* Segment::open(uint64_t communicator_hash, int ranks) {
  char name[64];
  std::snprintf(name, sizeof name, "/mfusim-nccl-%016llx",
                static_cast<unsigned long long>(communicator_hash));
  const int descriptor = shm_open(name, O_CREAT | O_RDWR, 0600);
  if (descriptor < 0) return nullptr;
  const auto bytes = static_cast<off_t>(total_bytes(ranks));
  struct stat found {};
  const bool fits =
      fstat(descriptor, &found) == 0 && (found.st_size == 0 || found.st_size == bytes);
  void* memory = MAP_FAILED;
  if (fits && ftruncate(descriptor, bytes) == 0 &&
      posix_fallocate(descriptor, 0, static_cast<off_t>(states_bytes(ranks))) == 0) {
    memory = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED,
                  descriptor, 0);
  }
  if (memory == MAP_FAILED) {
    close(descriptor);
    return nullptr;
  }
  return new Segment(name, descriptor, static_cast<char*>(memory), ranks);
}

Segment::~Segment() {
  munmap(memory_, total_bytes(ranks_));
  close(descriptor_);
}

Segment::RankState& Segment::state(int rank) const {
  return *reinterpret_cast<RankState*>(memory_ +
                                       static_cast<size_t>(rank) * RankState::bytes(ranks_));
}

void Segment::attach(int rank) {
  state(rank).pid = getpid();
  state(rank).pid_namespace = pid_namespace();
  state(rank).attached = 1;
}

bool Segment::await_all_attached() {
  const auto deadline = std::chrono::steady_clock::now() + patience();
  for (int rank = 0; rank < ranks_; ++rank) {
    while (state(rank).attached == 0) {
      if (std::chrono::steady_clock::now() > deadline) {
        shm_unlink(name_.c_str());
        return false;
      }
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }
  shm_unlink(name_.c_str());  // by every rank: the first succeeds
  return true;
}

void Segment::leave(int rank) {
  state(rank).left = 1;
}

bool Segment::is_gone(int rank) const {
  const RankState& peer = state(rank);
  if (peer.left != 0) return true;
  return peer.pid_namespace == pid_namespace() && kill(peer.pid, 0) != 0 && errno == ESRCH;
}

Arrival& Segment::collective(uint64_t number, int rank) const {
  return state(rank).collectives[number % 2];
}

Arrival& Segment::sender(uint64_t number, int from, int to) const {
  return state(from).messages()[2 * static_cast<size_t>(to) + number % 2];
}

Arrival& Segment::receiver(uint64_t number, int from, int to) const {
  return state(to).messages()[2 * static_cast<size_t>(ranks_ + from) + number % 2];
}

Segment::SignalCount& Segment::signals(int from, int to) const {
  return state(from).signals(ranks_)[to];
}

Segment::SplitRequest& Segment::split(uint64_t number, int rank) const {
  return state(rank).splits[number % 2];
}

char* Segment::payload(size_t index, size_t bytes) const {
  const size_t offset = states_bytes(ranks_) + index * kMaxPayload;
  // A store beyond what the file system can hold would be a bus error.
  return posix_fallocate(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(bytes)) == 0
             ? memory_ + offset
             : nullptr;
}

char* Segment::collective_payload(uint64_t number, int rank, size_t bytes) const {
  return payload(2 * static_cast<size_t>(rank) + number % 2, bytes);
}

char* Segment::message_payload(uint64_t number, int from, int to, size_t bytes) const {
  const auto ranks = static_cast<size_t>(ranks_);
  return payload(
      2 * (ranks + static_cast<size_t>(from) * ranks + static_cast<size_t>(to)) + number % 2,
      bytes);
}

}  // namespace mfusim::nccl
