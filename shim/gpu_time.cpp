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

#include <atomic>

#include "cupti_session.hpp"
#include "messages.hpp"
#include "recorder.hpp"
#include "threads.hpp"

namespace mfushim::shim {

namespace {

// Without other wishes, a job is timed for five minutes, which is all of a short one, and then ten
// seconds in ten minutes: CUPTI slows jobs by up to 30 % (a few published cases are worse), and a
// sixtieth of that is half a percent.
constexpr WindowPlan kUsualWindows = {
    .whole = 300'000'000'000, .length = 10'000'000'000, .period = 600'000'000'000};
constexpr int kStopSeconds = 10;
constexpr std::uint32_t kMostSkipped = 64;  // windows after failures, one after another

struct Timer {
  WindowPlan plan;
  std::int64_t began = 0;
  Window window;
  bool entered = false;  // the window was begun,
  bool open = false;     // and CUPTI was to be had; read without the timer's thread alone
  std::uint32_t skip = 0;
  bool loud = false;  // tell on stderr of failures
  bool started = false;
  pthread_t thread{};
  std::atomic<std::uint32_t> stop = 0;  // a futex
};
constinit Timer g_timer;

std::int64_t now_ns() noexcept {
  return static_cast<std::int64_t>(realtime_ns());
}

void no_gpu_time(const char* reason) noexcept {
  gpu_time(format::GpuTime{format::GpuTimeSource::kNone, now(), 0, 0, reason});
}

void open_window(Timer& t) noexcept {
  const std::uint64_t start = now();
  t.entered = true;
  t.open = cupti::open_session();
  if (t.open) {
    gpu_time(cupti::measure_clock(start));
    t.skip = 0;
    return;
  }
  no_gpu_time(cupti::why_no_session());
  if (t.loud) say("no device times: %s", cupti::why_no_session());
  t.skip = t.skip == 0 ? 1 : t.skip < kMostSkipped ? t.skip * 2 : kMostSkipped;
}

void close_window(Timer& t) noexcept {
  no_gpu_time("between windows of GPU timing");
  cupti::close_session();
  t.open = false;
}

// True when it is time, false when the timer is stopped.
bool wait_until(Timer& t, std::int64_t when) noexcept {
  const timespec until = {when / 1'000'000'000, when % 1'000'000'000};
  while (t.stop.load() == 0) {
    if (now_ns() >= when) return true;
    syscall(SYS_futex, &t.stop, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, &until, nullptr,
            FUTEX_BITSET_MATCH_ANY);
  }
  return false;
}

// The window after the present one and those that failures make us skip.
std::optional<Window> following_window(const Timer& t) noexcept {
  std::optional<Window> next = next_window(t.plan, t.began, t.window.end);
  for (std::uint32_t i = 0; i < t.skip && next && t.plan.period != 0; ++i)
    next = next_window(t.plan, t.began, next->end);
  return next;
}

void* run(void*) noexcept {
  prctl(PR_SET_NAME, "mfushim-gpu");
  Timer& t = g_timer;
  while (t.entered || wait_until(t, t.window.begin)) {
    if (!t.entered) open_window(t);
    if (!wait_until(t, t.window.end)) break;
    if (t.open) close_window(t);
    const auto next = following_window(t);
    if (!next) break;
    t.window = *next;
    t.entered = false;
  }
  return nullptr;
}

}  // namespace

void start_gpu_time(const Config& config) noexcept {
  if (config.gpu_time == GpuTimeMode::kOff) return no_gpu_time("MFUSHIM_GPU_TIME=off");
  if (config.gpu_time == GpuTimeMode::kEvents)
    return no_gpu_time("MFUSHIM_GPU_TIME=events is not there in this version");
  Timer& t = g_timer;
  t.plan =
      config.windows.value_or(config.gpu_time == GpuTimeMode::kAuto ? kUsualWindows : WindowPlan{});
  t.loud = config.verbose || config.gpu_time == GpuTimeMode::kCupti;
  t.began = now_ns();
  const auto first = next_window(t.plan, t.began, t.began);
  if (!first) return no_gpu_time("no window of GPU timing");
  t.window = *first;
  if (t.window.begin <= t.began)
    open_window(t);
  else
    no_gpu_time("before the first window of GPU timing");
  if (t.window.end == kForEver) return;
  t.started = start_thread(t.thread, run, nullptr);
  if (!t.started) say("no thread for the windows of GPU timing; they do not change");
}

void stop_gpu_time() noexcept {
  Timer& t = g_timer;
  if (t.started) {
    t.stop.store(1);
    syscall(SYS_futex, &t.stop, FUTEX_WAKE, 1, nullptr, nullptr, 0);
    timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += kStopSeconds;
    // CUPTI that hangs must not hold the job's end for ever.
    if (pthread_timedjoin_np(t.thread, nullptr, &until) != 0) return;
    t.started = false;
  }
  if (!t.open) return;
  t.open = false;
  cupti::end_session();
}

void forget_gpu_time() noexcept {
  Timer& t = g_timer;
  t.entered = t.open = t.started = false;
  t.skip = 0;
  t.stop.store(0);
}

}  // namespace mfushim::shim
