// The writer thread. It allocates nothing once it runs: its memory is mapped when it starts.
#define ZSTD_STATIC_LINKING_ONLY  // for a compression context in memory of our own
#include "writer.hpp"

#include <dirent.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

#include "blind_spots.hpp"
#include "clock.hpp"
#include "messages.hpp"
#include "mfushim/format/ring_recovery.hpp"
#include "old_glibc.hpp"
#include "recorder.hpp"
#include "ring.hpp"
#include "threads.hpp"

namespace mfushim::shim {

namespace {

constexpr int kCompressionLevel = 3;
constexpr int kStopSeconds = 10;
constexpr std::uint64_t kLimitReserve = 16384;  // of max_bytes, for the last words

struct Append {
  bool operator()(std::span<const std::uint8_t> bytes) const noexcept;
};
using Drain = format::RingDrain<Append>;

struct Writer {
  format::Ring ring;
  const RingMemory* rings = nullptr;  // where the ring file and others are
  LogFile* log = nullptr;
  std::uint64_t max_bytes = 0;
  bool verbose = false;
  bool limited = false;               // max_bytes was reached
  std::uint64_t limit_ticks = 0;      // when
  double hook_ns = 0;                 // per record
  std::uint64_t earlier_records = 0;  // of drains before the present one
  format::DrainMemory* memory = nullptr;
  ZSTD_CCtx* zstd = nullptr;
  std::byte* mapping = nullptr;
  std::size_t mapped = 0;
  pthread_t thread{};
  bool started = false;
  bool complete = false;  // everything is in the log
  std::atomic<bool> stop = false;
};
constinit Writer g_writer;

bool Append::operator()(std::span<const std::uint8_t> bytes) const noexcept {
  Writer& w = g_writer;
  const std::uint64_t reserve = std::min(kLimitReserve, w.max_bytes / 2);
  if (w.max_bytes != 0 && !w.limited && w.log->size() + bytes.size() > w.max_bytes - reserve) {
    w.limited = true;
    return false;
  }
  return w.log->append(bytes);
}

std::size_t compress(void* context, std::span<const std::uint8_t> from,
                     std::span<std::uint8_t> to) noexcept {
  const std::size_t n = ZSTD_compressCCtx(static_cast<ZSTD_CCtx*>(context), to.data(), to.size(),
                                          from.data(), from.size(), kCompressionLevel);
  return ZSTD_isError(n) ? 0 : n;
}

bool get_memory(Writer& w) noexcept {
  const std::size_t zstd_at = format::detail::round_up(sizeof(format::DrainMemory), 4096);
  const std::size_t zstd_bytes = ZSTD_estimateCCtxSize(kCompressionLevel);
  w.mapped = zstd_at + zstd_bytes;
  void* const at = mmap(nullptr, w.mapped, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return false;
  w.mapping = static_cast<std::byte*>(at);
  w.memory = new (at) format::DrainMemory;
  w.zstd = ZSTD_initStaticCCtx(w.mapping + zstd_at, zstd_bytes);
  return w.zstd != nullptr;
}

// What one record costs a hook beside the call itself, by doing the same on memory of our own.
double measure_hook_ns() noexcept {
  constexpr int kRounds = 4096;
  std::array<format::RingSlot, 16> slots;
  std::atomic<std::uint32_t> count = 0;
  const std::uint64_t begin = detail::monotonic_ns();
  for (int i = 0; i < kRounds; ++i) {
    format::Launch record;
    record.start = now();
    record.duration = now() - record.start;
    std::memcpy(slots[i % slots.size()].record.data(), &record, sizeof record);
    count.store(static_cast<std::uint32_t>(i), std::memory_order_release);
  }
  return static_cast<double>(detail::monotonic_ns() - begin) / kRounds;
}

void count_costs(Writer& w, std::uint64_t host_records) noexcept {
  auto& costs = w.ring.header().costs;
  auto& hook = costs[static_cast<std::size_t>(format::RingCost::kHook)];
  hook.count.store(host_records);
  hook.total_ns.store(static_cast<std::uint64_t>(static_cast<double>(host_records) * w.hook_ns));
  timespec cpu;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
  auto& writer = costs[static_cast<std::size_t>(format::RingCost::kWriter)];
  writer.count.store(w.ring.header().sequence.load());
  writer.total_ns.store(static_cast<std::uint64_t>(cpu.tv_sec) * 1'000'000'000u +
                        static_cast<std::uint64_t>(cpu.tv_nsec));
}

Drain make_drain(Writer& w) noexcept {
  return Drain(w.ring, *w.memory, {compress, w.zstd}, Append{});
}

// The log has reached its size: what is not in it is given up, counted, and nothing more recorded.
bool stop_at_limit(Writer& w, std::uint32_t flags) noexcept {
  detail::g_recording.store(false);
  w.limit_ticks = now();
  if (w.verbose) say("%s has reached MFUSHIM_MAX_BYTES; recording stopped", w.log->path());
  Drain rest = make_drain(w);
  rest.resume(w.log->size());
  const std::uint64_t lost = rest.discard();
  rest.add(0, format::Loss{format::LossCause::kSizeLimit, lost, 0, w.limit_ticks,
                           "not written at MFUSHIM_MAX_BYTES"});
  return rest.drain({.now = w.limit_ticks, .summary = true, .flags = flags});
}

void stop_at_error(Writer& w, int why) noexcept {
  if (!detail::g_recording.exchange(false)) return;
  say("cannot write %s: %s; recording stopped", w.log->path(), std::strerror(why));
}

// False when the log cannot be written any more.
bool drain_or_stop(Writer& w, Drain& drain, const Drain::Options& options) noexcept {
  count_costs(w, w.earlier_records + drain.host_records());
  if (drain.drain(options)) return true;
  const int why = errno;
  if (w.limited && stop_at_limit(w, options.flags)) return true;
  stop_at_error(w, why);
  return false;
}

void wait_for_work(format::RingHeader& h) noexcept {
  timespec timeout = {0, static_cast<long>(kWakeNs)};
  syscall(SYS_futex, &h.writer_wanted, FUTEX_WAIT, 0, &timeout, nullptr, 0);
  h.writer_wanted.store(0);
}

// Until it is told to stop, or the log cannot be written any more.
void write_until_stopped(Writer& w, Drain& drain) noexcept {
  format::RingHeader& h = w.ring.header();
  std::uint64_t anchored = detail::monotonic_ns(), written = anchored, summed = anchored;
  while (!w.stop.load()) {
    wait_for_work(h);
    const std::uint64_t t = detail::monotonic_ns();
    if (t - anchored >= kAnchorNs) {
      add_anchor(h);
      anchored = t;
    }
    const std::size_t pending = drain.pending();
    const bool due = t - written >= kSegmentNs && pending > 0;
    const bool crowded = h.free_chunks.load() < w.ring.chunks().size() / 2;
    if (due || pending >= kFullSegment || (crowded && pending > 0)) {
      const bool summary = t - summed >= kSummaryNs;
      if (summary) find_blind_spots(false);
      if (!drain_or_stop(w, drain, {.now = now(), .summary = summary}) || w.limited) return;
      written = t;
      if (summary) summed = t;
    }
    if (due || crowded) reap_dead_threads(w.ring, [&](auto& chunk) { drain.release(chunk); });
  }
}

void finish(Writer& w) noexcept {
  Drain last = make_drain(w);
  last.resume(w.log->size());
  add_anchor(w.ring.header());
  if (!w.limited) find_blind_spots(true);
  const std::uint64_t end = now();
  if (w.limited)
    last.add(0, format::Loss{format::LossCause::kSizeLimit, 0, w.limit_ticks, end,
                             "nothing recorded after MFUSHIM_MAX_BYTES"});
  w.complete = drain_or_stop(w, last, {.now = end, .summary = true, .flags = format::kSegmentLast});
}

// Brings home what killed processes of this user left in tmpfs.
void recover_orphans(Writer& w) noexcept {
  DIR* const folder = opendir(w.rings->folder);
  if (folder == nullptr) return;
  constexpr int kAtMost = 64;
  int recovered = 0;
  while (const dirent* const entry = readdir(folder)) {
    if (recovered == kAtMost || (recovered > 0 && w.stop.load())) break;
    if (std::strncmp(entry->d_name, format::kRingPrefix, std::strlen(format::kRingPrefix)) != 0)
      continue;
    char path[PATH_MAX];
    std::snprintf(path, sizeof path, "%s/%s", w.rings->folder, entry->d_name);
    // Opening and closing our own would let go of its lock.
    if (std::strcmp(path, w.rings->path) == 0) continue;
    const auto outcome = format::recover_ring(path, *w.memory, {compress, w.zstd});
    if (outcome.fate != format::RingFate::kMoved) continue;
    ++recovered;
    if (w.verbose)
      say("recovered %llu records of a killed process into %s",
          static_cast<unsigned long long>(outcome.records), outcome.log_path.data());
  }
  closedir(folder);
}

void* run(void*) noexcept {
  prctl(PR_SET_NAME, "mfushim");
  Writer& w = g_writer;
  recover_orphans(w);
  w.hook_ns = measure_hook_ns();
  {
    Drain drain = make_drain(w);
    write_until_stopped(w, drain);
    w.earlier_records = drain.host_records();
  }
  while (!w.stop.load()) wait_for_work(w.ring.header());
  finish(w);
  return nullptr;
}

void reset(Writer& w) noexcept {
  if (w.mapping != nullptr) munmap(w.mapping, w.mapped);
  w.ring = {};
  w.log = nullptr;
  w.limited = false;
  w.earlier_records = 0;
  w.mapping = nullptr;
  w.memory = nullptr;
  w.zstd = nullptr;
  w.started = false;
  w.complete = false;
  w.stop.store(false);
}

}  // namespace

bool start_writer(const RingMemory& memory, LogFile& log, std::uint64_t max_bytes,
                  bool verbose) noexcept {
  Writer& w = g_writer;
  reset(w);
  w.ring = memory.ring;
  w.rings = &memory;
  w.log = &log;
  w.max_bytes = max_bytes;
  w.verbose = verbose;
  w.started = get_memory(w) && start_thread(w.thread, run, nullptr);
  if (!w.started) reset(w);
  return w.started;
}

bool stop_writer() noexcept {
  Writer& w = g_writer;
  if (!w.started) return false;
  w.stop.store(true);
  wake_writer(w.ring.header());
  // A thread that a file system holds keeps its memory.
  if (!join_thread(w.thread, kStopSeconds)) return false;
  const bool complete = w.complete;
  reset(w);
  return complete;
}

void forget_writer() noexcept {
  forget_blind_spots();
  reset(g_writer);
}

void wake_writer(format::RingHeader& header) noexcept {
  if (header.writer_wanted.exchange(1) == 0)
    syscall(SYS_futex, &header.writer_wanted, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void add_anchor(format::RingHeader& header) noexcept {
  const std::uint32_t number = header.anchors.load();
  header.anchor[number % format::RingHeader::kAnchors] = read_anchor();
  header.anchors.store(number + 1, std::memory_order_release);
}

}  // namespace mfushim::shim
