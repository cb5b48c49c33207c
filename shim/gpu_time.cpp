// Opens and closes CUPTI's sessions as the windows have it. Where they change, a thread of its own
// does that: the writer's has to make room for what a closing session brings.
#include "gpu_time.hpp"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>

#include "cupti_others.hpp"
#include "cupti_session.hpp"
#include "event_timing.hpp"
#include "messages.hpp"
#include "old_glibc.hpp"
#include "recorder.hpp"
#include "ring.hpp"
#include "sources.hpp"
#include "threads.hpp"
#include "window_cost.hpp"

namespace mfushim::shim {

namespace {

// Without other wishes, a job is timed for five minutes, which is all of a short one, and then ten
// seconds in ten minutes: CUPTI slows jobs by up to 30 % (a few published cases are worse), and a
// sixtieth of that is half a percent.
constexpr WindowPlan kUsualWindows = {
    .whole = 300'000'000'000, .length = 10'000'000'000, .period = 600'000'000'000};
constexpr int kStopSeconds = 10;
// A profiler with a schedule lets go and takes again, step by step.
constexpr std::int64_t kGraceNs = 1'000'000'000;
constexpr std::uint32_t kMostSkipped = 64;  // windows after failures, one after another

struct Timer {
  WindowPlan plan;
  std::int64_t began = 0;
  bool loud = false;            // tell on stderr of failures
  bool events_instead = false;  // where CUPTI refuses
  bool started = false;
  pthread_t thread{};
  std::atomic<std::uint32_t> events = 0;  // a futex: something happened that the thread waits for
  std::atomic<bool> stop = false;

  // Under the lock: windows open and close on the timer's thread, and CUPTI is given up on any.
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  Window window;
  std::uint32_t skip = 0;     // windows to leave out
  std::int64_t retry_at = 0;  // CUPTI refused the present window
  bool open = false;
  std::int64_t free_at = 0;  // others let go of CUPTI then
  WindowCost cost;
  double lost = 0;  // of a window's launches, for which windows were made rarer
};
constinit Timer g_timer;

std::int64_t now_ns() noexcept {
  return static_cast<std::int64_t>(realtime_ns());
}

WindowCost::Reading reading() noexcept {
  const format::Ring ring = current_ring();
  return {ring ? launches_so_far(ring) : 0, now_ns()};
}

void no_gpu_time(const char* reason) noexcept {
  gpu_time(format::GpuTime{format::GpuTimeSource::kNone, now(), 0, 0, reason});
}

void open_window(Timer& t) noexcept {
  event_timing::pause();
  t.open = cupti::open_session();
  if (t.open) {
    gpu_time(cupti::begin_times());
    t.skip = 0;
    t.cost.opened(reading());
    return;
  }
  no_gpu_time(cupti::why_no_session());
  if (t.loud) say("no device times: %s", cupti::why_no_session());
  t.skip = t.skip == 0 ? 1 : t.skip < kMostSkipped ? t.skip * 2 : kMostSkipped;
  // In a window without end, after pauses as long as the usual ones.
  t.retry_at = t.window.end != kForEver ? kForEver : now_ns() + t.skip * kUsualWindows.period;
  if (t.events_instead) event_timing::start();
}

// Makes windows rarer where they cost too much; the reason that the log gives for the pause.
void lengthen_pause(Timer& t, char (&reason)[160]) noexcept {
  const double loss = t.cost.least_loss();
  const std::int64_t period = t.plan.period == 0 ? 0 : affordable_period(t.plan, loss);
  if (period > t.plan.period) t.lost = loss;
  t.plan.period = period;
  if (t.lost == 0) {
    std::snprintf(reason, sizeof reason, "between windows of GPU timing");
    return;
  }
  std::snprintf(
      reason, sizeof reason,
      "between windows of GPU timing, now %.0f s apart: each loses %.1f %% of its launches",
      static_cast<double>(period) / 1e9, 100 * t.lost);
}

void close_window(Timer& t) noexcept {
  char reason[160];
  t.cost.closed(reading());
  lengthen_pause(t, reason);
  no_gpu_time(reason);
  cupti::close_session();
  t.open = false;
}

// The window after the present one and those that failures make us skip.
std::optional<Window> following_window(const Timer& t) noexcept {
  std::optional<Window> next = next_window(t.plan, t.began, t.window.end);
  for (std::uint32_t i = 0; i < t.skip && next && t.plan.period != 0; ++i)
    next = next_window(t.plan, t.began, next->end);
  return next;
}

// Does what is due, and says when to look again; kForEver: when something happens.
std::int64_t advance(Timer& t) noexcept {
  const MutexLock lock(t.lock);
  const std::int64_t now = now_ns();
  while (now >= t.window.end) {
    if (t.open) close_window(t);
    const auto next = following_window(t);
    t.retry_at = 0;
    t.window = next.value_or(Window{kForEver, kForEver});
  }
  if (now < t.window.begin) return t.window.begin;
  if (t.open || cupti::is_held_by_others()) return t.window.end;
  const std::int64_t ready = std::max(t.retry_at, t.free_at + kGraceNs);
  if (now >= ready) open_window(t);
  return t.open ? t.window.end : std::min(std::max(ready, t.retry_at), t.window.end);
}

void* run(void*) noexcept {
  prctl(PR_SET_NAME, "mfushim-gpu");
  Timer& t = g_timer;
  while (!t.stop.load()) {
    const std::uint32_t seen = t.events.load();
    const std::int64_t next = advance(t);
    const timespec until = {next / 1'000'000'000, next % 1'000'000'000};
    if (!t.stop.load() && now_ns() < next)
      syscall(SYS_futex, &t.events, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, seen, &until, nullptr,
              FUTEX_BITSET_MATCH_ANY);
  }
  return nullptr;
}

void wake(Timer& t) noexcept {
  t.events.fetch_add(1);
  syscall(SYS_futex, &t.events, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

}  // namespace

void start_gpu_time(const Config& config) noexcept {
  if (config.gpu_time == GpuTimeMode::kOff) return no_gpu_time("MFUSHIM_GPU_TIME=off");
  if (config.gpu_time == GpuTimeMode::kEvents) {
    no_gpu_time("before the first launch that events time");
    return event_timing::start();
  }
  Timer& t = g_timer;
  t.plan =
      config.windows.value_or(config.gpu_time == GpuTimeMode::kAuto ? kUsualWindows : WindowPlan{});
  t.loud = config.verbose || config.gpu_time == GpuTimeMode::kCupti;
  t.events_instead = config.gpu_time == GpuTimeMode::kAuto;
  t.began = now_ns();
  t.window = next_window(t.plan, t.began, t.began).value_or(Window{kForEver, kForEver});
  if (t.window.begin > t.began) no_gpu_time("before the first window of GPU timing");
  if (cupti::is_held_by_others()) no_gpu_time("the program uses CUPTI itself");
  advance(t);
  t.started = start_thread(t.thread, run, nullptr);
  if (!t.started) say("no thread for the windows of GPU timing; they do not change");
}

void yield_gpu_time(std::string_view to) noexcept {
  Timer& t = g_timer;
  const MutexLock lock(t.lock);
  t.free_at = now_ns();
  // Buffers that come back after others set theirs would come to them.
  if (!t.open) return cupti::collect_late_records();
  char reason[160];
  std::snprintf(reason, sizeof reason, "CUPTI was given to %.*s", static_cast<int>(to.size()),
                to.data());
  no_gpu_time(reason);
  t.cost.disturbed();
  cupti::yield_session();
  t.open = false;
}

void return_gpu_time() noexcept {
  Timer& t = g_timer;
  {
    const MutexLock lock(t.lock);
    t.free_at = now_ns();
    t.retry_at = 0;
  }
  if (t.started) wake(t);
}

void stop_gpu_time() noexcept {
  Timer& t = g_timer;
  if (t.started) {
    t.stop.store(true);
    wake(t);
    t.started = !join_thread(t.thread, kStopSeconds);
  }
  event_timing::stop();
  if (t.started) return;
  const MutexLock lock(t.lock);
  if (!t.open) return cupti::collect_late_records();
  t.open = false;
  cupti::end_session();
}

void forget_gpu_time() noexcept {
  Timer& t = g_timer;
  pthread_mutex_init(&t.lock, nullptr);
  t.open = t.started = false;
  t.retry_at = 0;
  t.skip = 0;
  t.cost = {};
  t.lost = 0;
  t.stop.store(false);
  cupti::others_gone();
  event_timing::forget();
}

}  // namespace mfushim::shim
