// The life of the recorder in a process: armed by cuInit, started by the first device work, ended
// by the process's end; a forked child begins its own.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/random.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "config.hpp"
#include "device_clocks.hpp"
#include "facts.hpp"
#include "gpu_time.hpp"
#include "intern.hpp"
#include "log.hpp"
#include "messages.hpp"
#include "mfushim/format/ring_recovery.hpp"
#include "recorder.hpp"
#include "ring.hpp"
#include "sources.hpp"
#include "writer.hpp"

namespace mfushim::shim {

namespace detail {
constinit std::atomic<bool> g_recording = false;
constinit std::atomic<std::uint32_t> g_generation = 1;
MFUSHIM_THREAD_LOCAL ThreadState t_state;
MFUSHIM_THREAD_LOCAL Cursor t_cursor;
}  // namespace detail

namespace {

enum class State { kIdle, kStarting, kStarted, kOver };
constinit std::atomic<State> g_state = State::kIdle;
constinit std::atomic<bool> g_armed = false;
MFUSHIM_THREAD_LOCAL bool t_starting = false;  // what start() calls may come back to it
constinit RingMemory g_memory;
constinit LogFile g_log;
constinit Config g_config;

void finish() noexcept;

// Runs in the only thread of a forked child. What the parent recorded is the parent's: its ring is
// let go without a trace, and the child starts its own when it first does device work.
void begin_child() noexcept {
  const int saved = errno;
  detail::g_recording.store(false);
  detail::g_generation.fetch_add(1);
  detail::t_cursor = {};
  detail::t_state = {};
  use_ring({});
  forget_writer();
  forget_gpu_time();
  forget_device_clocks();
  drop_intern_table();
  drop_ring(g_memory);
  g_log.close();
  g_state.store(disabled_by_environment() ? State::kOver : State::kIdle);
  errno = saved;
}

// atexit handlers run last registered first: after a first cuInit, ours comes before the driver's.
void register_handlers() noexcept {
  std::atexit(finish);
  pthread_atfork(nullptr, nullptr, begin_child);
}

void ring_fact() noexcept {
  char text[96];
  if (g_memory.fd >= 0)
    std::snprintf(text, sizeof text, "file of %zu bytes", g_memory.bytes);
  else
    std::snprintf(text, sizeof text, "memory of %zu bytes: a kill loses up to %d s", g_memory.bytes,
                  static_cast<int>(kSegmentNs / 1'000'000'000));
  fact("ring", text);
}

// All that recovery needs; the magic last, since it says that the rest is there.
void publish_ring(const format::FileHeader& header) noexcept {
  format::RingHeader& h = g_memory.ring.header();
  h.pid = static_cast<std::uint32_t>(getpid());
  h.process_start = format::process_start_ticks(getpid());
  std::snprintf(h.log_path.data(), h.log_path.size(), "%s", g_log.path());
  format::ByteSink out(h.log_header);
  format::write_file_header(out, header);
  h.log_bytes.store(g_log.size());
  std::atomic_ref(h.magic).store(format::kRingMagic, std::memory_order_release);
}

bool open_all(const ClockRate& rate) noexcept {
  format::FileHeader header;
  header.created_unix_ns = realtime_ns();
  header.ticks_per_second = rate.ticks_per_second;
  if (getrandom(header.log_id.data(), header.log_id.size(), 0) < 0) return false;
  if (!g_log.create(g_config.out, rank_from_environment(), header)) {
    say("cannot make a log in %s: %s; nothing is recorded", g_config.out, std::strerror(errno));
    return false;
  }
  make_ring(g_memory, g_config.ring_folder);
  if (!g_memory.ring || !use_intern_table(g_memory.ring)) {
    say("no memory for the recorder; nothing is recorded");
    return false;
  }
  use_ring(g_memory.ring);
  publish_sources(g_memory.ring);
  publish_ring(header);
  add_anchor(g_memory.ring.header());
  if (start_writer(g_memory, g_log, g_config.max_bytes, g_config.verbose)) return true;
  say("no thread for the recorder; nothing is recorded");
  return false;
}

void close_all() noexcept {
  if (g_memory.fd >= 0) unlink(g_memory.path);
  g_log.close();
}

bool start_recording() noexcept {
  g_config = read_config();
  if (g_config.disabled) return false;
  const ClockRate rate = choose_clock();
  if (!open_all(rate)) {
    close_all();
    use_ring({});
    drop_ring(g_memory);
    return false;
  }
  record_process_facts(rate);
  ring_fact();
  record_devices();
  record_modules();
  start_gpu_time(g_config);
  start_device_clocks();
  if (g_config.verbose) say("recording to %s", g_log.path());
  return true;
}

// The process ends: hooks only call through from here on, and all there is goes into the log.
void finish() noexcept {
  State expected = State::kStarted;
  if (!g_state.compare_exchange_strong(expected, State::kOver)) return;
  const int saved = errno;
  stop_gpu_time();
  stop_device_clocks();
  detail::g_recording.store(false);
  record_modules();
  if (!stop_writer()) say("%s is not complete", g_log.path());
  close_all();
  errno = saved;
}

// For a process whose exit handlers did not include ours.
[[gnu::destructor]] void finish_at_unload() noexcept {
  finish();
}

}  // namespace

void arm() noexcept {
  if (disabled_by_environment()) return;
  if (!g_armed.exchange(true)) register_handlers();
}

void start() noexcept {
  if (g_state.load(std::memory_order_acquire) >= State::kStarted || t_starting) return;
  const int saved = errno;
  State expected = State::kIdle;
  if (g_state.compare_exchange_strong(expected, State::kStarting)) {
    t_starting = true;
    arm();
    const bool good = start_recording();
    t_starting = false;
    detail::g_recording.store(good, std::memory_order_release);
    g_state.store(good ? State::kStarted : State::kOver, std::memory_order_release);
  } else {
    // Another thread is at it: milliseconds, once, so that no call of this one goes unrecorded.
    while (g_state.load(std::memory_order_acquire) == State::kStarting) sched_yield();
  }
  errno = saved;
}

}  // namespace mfushim::shim
