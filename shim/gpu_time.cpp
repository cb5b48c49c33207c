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
#include <new>
#include <utility>

#include "cupti_others.hpp"
#include "cupti_session.hpp"
#include "event_timing.hpp"
#include "messages.hpp"
#include "old_glibc.hpp"
#include "recorder.hpp"
#include "ring.hpp"
#include "sources.hpp"
#include "step_counter.hpp"
#include "threads.hpp"
#include "window_cost.hpp"

namespace mfushim::shim {

namespace {

constexpr int kStopSeconds = 10;
// The real-time clock may be set meanwhile.
constexpr std::int64_t kLongestWait = 10'000'000'000;
constexpr std::int64_t kClockWasSet = 1'000'000'000;
constexpr Window kNoWindow{kForEver, kForEver};
constexpr std::uint32_t kMostSkipped = 64;  // windows after failures, one after another

struct Timer {
  WindowPlan plan;
  WindowPlan put_aside;  // in steps, while none are told
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
  std::int64_t seen = 0;          // steps
  std::int64_t clock_offset = 0;  // real time - monotonic
  std::uint32_t skip = 0;         // windows to leave out
  std::int64_t retry_at = 0;      // CUPTI refused the present window
  bool open = false;
  std::int64_t free_at = 0;       // others let go of CUPTI then
  std::uint32_t times_given = 0;  // to others while it was ours
  WindowCost cost;
  double lost = 0;  // of a window's launches, for which windows were made rarer
};
constinit Timer g_timer;

// For windows in steps.
struct Steps {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  StepCounter counter;
  std::atomic<std::int64_t> done = 0;
  std::atomic<std::uint64_t> latest_ns = 0;  // when that changed, on the monotonic clock
  std::atomic<std::int64_t> next = 0;        // that the timer's thread waits for; 0: none
};
constinit Steps g_steps;

std::int64_t now_ns() noexcept {
  return static_cast<std::int64_t>(realtime_ns());
}

std::int64_t clock_offset() noexcept {
  return now_ns() - static_cast<std::int64_t>(shim::detail::monotonic_ns());
}

// What windows are made of: time, or steps.
std::int64_t position(const Timer& t) noexcept {
  return t.plan.in_steps ? g_steps.done.load() : now_ns();
}

// Where recording began.
std::int64_t origin(const Timer& t) noexcept {
  return t.plan.in_steps ? 0 : t.began;
}

// When to look again for an edge of a window. For steps, what happens tells.
std::int64_t look_at(const Timer& t, std::int64_t edge) noexcept {
  if (!t.plan.in_steps) return edge;
  g_steps.next.store(edge);
  return edge > g_steps.done.load() ? kForEver : 0;
}

// A window or a pause is as long as it should be, also while the clock is set to another time.
void follow_clock(Timer& t) noexcept {
  const std::int64_t by = clock_offset() - t.clock_offset;
  if (by > -kClockWasSet && by < kClockWasSet) return;
  t.clock_offset += by;
  if (t.retry_at != kForEver) t.retry_at += by;
  t.free_at += by;
  t.began += by;
  t.cost.disturbed();
  if (!t.plan.in_steps) move(t.window, by);
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
      "between windows of GPU timing, now %.0f %s apart: each loses %.1f %% of its launches",
      static_cast<double>(period) / (t.plan.in_steps ? 1 : 1e9), t.plan.in_steps ? "steps" : "s",
      100 * t.lost);
}

void close_window(Timer& t, const char* reason) noexcept {
  no_gpu_time(reason);
  cupti::close_session();
  t.open = false;
}

void end_window(Timer& t) noexcept {
  char reason[160];
  t.cost.closed(reading());
  lengthen_pause(t, reason);
  close_window(t, reason);
}

// Whatever was, from now on windows are as the plan has them.
void begin_plan(Timer& t, const char* reason) noexcept {
  if (t.open)
    close_window(t, reason);
  else
    no_gpu_time(reason);
  t.cost.disturbed();
  t.retry_at = 0;
  t.window = next_window(t.plan, origin(t), position(t)).value_or(kNoWindow);
}

void follow_steps(Timer& t) noexcept {
  if (!shim::detail::g_steps_wanted.load()) return;
  const std::uint64_t since = shim::detail::monotonic_ns() - g_steps.latest_ns.load();
  const bool told = are_steps_told(static_cast<std::int64_t>(since));
  if (!told && t.plan.in_steps) {
    t.put_aside = std::exchange(t.plan, kUsualWindows);
    return begin_plan(t, "no steps are told by collectives: windows of GPU timing are the usual");
  }
  const std::int64_t done = g_steps.done.load();
  if (told && !t.plan.in_steps) {
    t.plan = t.put_aside;
    begin_plan(t, "steps are told: windows of GPU timing are in steps");
  } else if (done < t.seen) {
    begin_plan(t, "steps of the job are told better, and counted anew");
  }
  t.seen = done;
}

// The window after the present one and those that failures make us skip.
std::optional<Window> following_window(const Timer& t) noexcept {
  std::optional<Window> next = next_window(t.plan, origin(t), t.window.end);
  for (std::uint32_t i = 0; i < t.skip && next && t.plan.period != 0; ++i)
    next = next_window(t.plan, origin(t), next->end);
  return next;
}

// Does what is due, and says when to look again; kForEver: when something happens.
std::int64_t advance(Timer& t) noexcept {
  const MutexLock lock(t.lock);
  follow_clock(t);
  follow_steps(t);
  const std::int64_t now = position(t);
  while (now >= t.window.end) {
    if (t.open) end_window(t);
    const auto next = following_window(t);
    t.retry_at = 0;
    t.window = next.value_or(kNoWindow);
    if (!next) shim::detail::g_steps_wanted.store(false);
  }
  if (now < t.window.begin) return look_at(t, t.window.begin);
  const std::int64_t end = look_at(t, t.window.end);
  if (t.open || cupti::is_held_by_others()) return end;
  const std::int64_t ready = std::max(t.retry_at, t.free_at + grace_after(t.times_given));
  if (now_ns() >= ready) open_window(t);
  return t.open ? end : std::min(std::max(ready, t.retry_at), end);
}

void* run(void*) noexcept {
  prctl(PR_SET_NAME, "mfushim-gpu");
  Timer& t = g_timer;
  while (!t.stop.load()) {
    const std::uint32_t seen = t.events.load();
    const std::int64_t wait = std::min(advance(t) - now_ns(), kLongestWait);
    const timespec timeout = {wait / 1'000'000'000, wait % 1'000'000'000};
    if (!t.stop.load() && wait > 0)
      syscall(SYS_futex, &t.events, FUTEX_WAIT, seen, &timeout, nullptr, 0);
  }
  return nullptr;
}

void wake(Timer& t) noexcept {
  t.events.fetch_add(1);
  syscall(SYS_futex, &t.events, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void step_done() noexcept {
  const auto done = static_cast<std::int64_t>(g_steps.counter.steps());
  const std::int64_t before = g_steps.done.exchange(done);
  if (done == before) return;
  g_steps.latest_ns.store(shim::detail::monotonic_ns());
  std::int64_t next = g_steps.next.load();
  const bool reached = next != 0 && done >= next && g_steps.next.compare_exchange_strong(next, 0);
  if (reached || done < before) wake(g_timer);
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
  g_steps.latest_ns.store(detail::monotonic_ns());
  detail::g_steps_wanted.store(t.plan.in_steps);
  t.clock_offset = clock_offset();
  t.began = now_ns();
  t.window = next_window(t.plan, origin(t), position(t)).value_or(kNoWindow);
  if (t.window.begin > position(t)) no_gpu_time("before the first window of GPU timing");
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
  ++t.times_given;
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

constinit std::atomic<bool> detail::g_steps_wanted{false};

void mark_collective(std::uint32_t shape) noexcept {
  const MutexLock lock(g_steps.lock);
  g_steps.counter.collective(shape);
  step_done();
}

void mark_graph_launch(std::uint32_t graph) noexcept {
  const MutexLock lock(g_steps.lock);
  g_steps.counter.graph_launch(graph);
  step_done();
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
  pthread_mutex_init(&g_steps.lock, nullptr);
  // In its place, and only where it was written to: it is large for a stack, and for a copy.
  if (t.plan.in_steps || t.put_aside.in_steps) ::new (&g_steps.counter) StepCounter;
  detail::g_steps_wanted.store(false);
  g_steps.done.store(0);
  g_steps.next.store(0);
  t.open = t.started = false;
  t.seen = 0;
  t.times_given = 0;
  t.retry_at = 0;
  t.skip = 0;
  t.cost = {};
  t.lost = 0;
  t.stop.store(false);
  cupti::others_gone();
  event_timing::forget();
}

}  // namespace mfushim::shim
