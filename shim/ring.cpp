// Makes the ring file and hands its chunks to threads.
#include "ring.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "intern.hpp"
#include "recorder.hpp"
#include "writer.hpp"

namespace mfushim::shim {

namespace {

constinit format::Ring g_ring;

// A quarter of what tmpfs has free at most, since others of this host need the rest; 0: too little.
std::size_t affordable_bytes(const char* folder) noexcept {
  struct statfs fs;
  if (statfs(folder, &fs) != 0 || fs.f_type != TMPFS_MAGIC) return 0;
  const std::size_t quarter =
      static_cast<std::size_t>(fs.f_bavail) * static_cast<std::size_t>(fs.f_bsize) / 4;
  const std::size_t bytes = std::min(quarter, kRingBytes) / 4096 * 4096;
  return bytes < format::kMinRingBytes ? 0 : bytes;
}

int make_file(RingMemory& memory) noexcept {
  std::uint64_t random[2];
  if (getrandom(random, sizeof random, 0) != sizeof random) return -1;
  const int n = std::snprintf(memory.path, sizeof memory.path, "%s/%s%016llx%016llx", memory.folder,
                              format::kRingPrefix, static_cast<unsigned long long>(random[0]),
                              static_cast<unsigned long long>(random[1]));
  if (n < 0 || static_cast<std::size_t>(n) >= sizeof memory.path) return -1;
  const int fd = open(memory.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return -1;
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  if (fallocate(fd, 0, 0, static_cast<off_t>(memory.bytes)) == 0 && fcntl(fd, F_SETLK, &lock) == 0)
    return fd;
  unlink(memory.path);
  close(fd);
  return -1;
}

std::byte* map(int fd, std::size_t bytes) noexcept {
  const int flags = fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags | MAP_POPULATE, fd, 0);
  return at == MAP_FAILED ? nullptr : static_cast<std::byte*>(at);
}

void plan(format::RingHeader& h, std::size_t bytes) noexcept {
  const format::RingPlan p = format::plan_ring(bytes);
  h.layout = format::kRingLayout;
  h.file_bytes = bytes;
  h.definition_slots = p.definition_slots;
  h.heap_bytes = p.heap_bytes;
  h.chunk_count = p.chunk_count;
  h.free_chunks.store(p.chunk_count);
  h.flight_bytes.store(format::RingHeader::kNoFlight);
}

}  // namespace

void make_ring(RingMemory& memory, const char* folder) noexcept {
  memory = {};
  std::snprintf(memory.folder, sizeof memory.folder, "%s", folder);
  memory.bytes = affordable_bytes(memory.folder);
  if (memory.bytes != 0) memory.fd = make_file(memory);
  if (memory.fd < 0) memory.bytes = kRingBytes;
  std::byte* const base = map(memory.fd, memory.bytes);
  if (base == nullptr) return;
  plan(*reinterpret_cast<format::RingHeader*>(base), memory.bytes);
  memory.ring = format::Ring(base, memory.bytes);
}

void drop_ring(RingMemory& memory) noexcept {
  if (memory.ring) munmap(&memory.ring.header(), memory.bytes);
  if (memory.fd >= 0) close(memory.fd);
  memory = {};
}

void use_ring(format::Ring ring) noexcept {
  g_ring = ring;
}

format::Ring current_ring() noexcept {
  return g_ring;
}

bool thread_alive(std::uint32_t tid) noexcept {
  return syscall(SYS_tgkill, getpid(), tid, 0) == 0 || errno != ESRCH;
}

namespace {

format::RingChunk* claim(format::Ring ring) noexcept {
  format::RingHeader& h = ring.header();
  const auto chunks = ring.chunks();
  // Where the last claim found one, the next is likely free.
  static constinit std::atomic<std::size_t> g_hint = 0;
  std::size_t i = g_hint.load(std::memory_order_relaxed);
  for (std::size_t tried = 0; tried < chunks.size(); ++tried, ++i) {
    if (i >= chunks.size()) i = 0;
    auto expected = format::ChunkState::kFree;
    if (!chunks[i].state.compare_exchange_strong(expected, format::ChunkState::kClaiming)) continue;
    g_hint.store(i + 1, std::memory_order_relaxed);
    h.free_chunks.fetch_sub(1);
    return &chunks[i];
  }
  return nullptr;
}

// The calling thread's id in the log; defined when it first records something.
std::uint32_t define_thread(std::uint32_t tid) noexcept {
  char name[17] = {};
  prctl(PR_GET_NAME, name);
  return define(format::Thread{0, tid, name});
}

}  // namespace

namespace detail {

bool claim_chunk(Cursor& cursor) noexcept {
  const format::Ring ring = g_ring;
  if (!ring) return false;
  format::RingHeader& h = ring.header();
  if (h.free_chunks.load(std::memory_order_relaxed) == 0) {
    loss(format::LossCause::kRingFull, 1, {});
    return false;
  }
  const int saved = errno;
  const auto tid = static_cast<std::uint32_t>(syscall(SYS_gettid));
  const std::uint32_t lane = cursor.lane != 0 ? cursor.lane : define_thread(tid);
  format::RingChunk* const chunk = claim(ring);
  if (chunk == nullptr) {
    loss(format::LossCause::kRingFull, 1, {});
  } else {
    chunk->lane = lane;
    chunk->tid = tid;
    chunk->serial = h.chunk_serial.fetch_add(1);
    chunk->state.store(format::ChunkState::kOwned, std::memory_order_release);
    const bool own = lane != 0 && lane < format::kCoverageShares;
    cursor = {chunk->slots.data(), chunk->slots.data() + chunk->slots.size(), chunk, lane,
              own ? &ring.coverage().shares[lane] : nullptr};
    if (h.free_chunks.load(std::memory_order_relaxed) < ring.chunks().size() / 2) wake_writer(h);
  }
  errno = saved;
  return chunk != nullptr;
}

}  // namespace detail

}  // namespace mfushim::shim
