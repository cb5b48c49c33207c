// The device clock on CLOCK_REALTIME.
#include "device_clock.hpp"

#include <sched.h>
#include <time.h>

#include <cstdlib>
#include <cstring>

namespace mfusim {
namespace {

// A sleeping thread wakes up to about this late (timer slack 50 us), so the rest is spun.
constexpr uint64_t kSpinNs = 80'000;

}  // namespace

uint64_t now_ns() {
  timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return uint64_t(t.tv_sec) * 1'000'000'000u + uint64_t(t.tv_nsec);
}

bool instant() {
  static const bool value = [] {
    const char* text = getenv("MFUSIM_INSTANT");
    return text && strcmp(text, "1") == 0;
  }();
  return value;
}

void wait_until(uint64_t deadline_ns) {
  for (uint64_t now = now_ns(); now < deadline_ns; now = now_ns()) {
    if (deadline_ns - now <= kSpinNs) {
      sched_yield();
      continue;
    }
    const uint64_t wake = deadline_ns - kSpinNs;
    const timespec t{time_t(wake / 1'000'000'000u), long(wake % 1'000'000'000u)};
    clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, nullptr);
  }
}

}  // namespace mfusim
