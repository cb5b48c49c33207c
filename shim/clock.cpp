// Reads and calibrates the host clock.
#include "clock.hpp"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <cstring>

namespace mfushim::shim {

namespace {

std::uint64_t read_clock(clockid_t id) noexcept {
  timespec t;
  clock_gettime(id, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(t.tv_nsec);
}

// Counter and clock when the library was loaded: the older end of the calibration, so that a job
// need not wait for it.
constinit std::uint64_t g_load_ticks = 0;
constinit std::uint64_t g_load_ns = 0;

[[gnu::constructor]] void note_load_time() noexcept {
  g_load_ns = read_clock(CLOCK_MONOTONIC);
  g_load_ticks = arch_ticks();
}

bool kernel_trusts_tsc() noexcept {
  const int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                      O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char text[8] = {};
  const ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  return n >= 3 && std::strncmp(text, "tsc\n", 4) == 0;
}

}  // namespace

namespace detail {

constinit bool g_ticks_are_tsc = false;

std::uint64_t monotonic_ns() noexcept {
  return read_clock(CLOCK_MONOTONIC);
}

}  // namespace detail

ClockRate choose_clock() noexcept {
  detail::g_ticks_are_tsc = arch_ticks_steady() && kernel_trusts_tsc();
  if (!detail::g_ticks_are_tsc) return {1'000'000'000, "monotonic"};
  std::uint64_t ns = detail::monotonic_ns();
  while (ns - g_load_ns < kMinCalibrationNs) ns = detail::monotonic_ns();
  const std::uint64_t ticks = arch_ticks() - g_load_ticks;
  const auto rate = static_cast<unsigned __int128>(ticks) * 1'000'000'000u / (ns - g_load_ns);
  return {static_cast<std::uint64_t>(rate), "tsc"};
}

format::ClockAnchor read_anchor() noexcept {
  constexpr int kTries = 5;
  format::ClockAnchor best;
  std::uint64_t width = ~std::uint64_t{0};
  for (int i = 0; i < kTries; ++i) {
    const std::uint64_t before = detail::monotonic_ns();
    const std::uint64_t ticks_before = clock_now();
    const std::uint64_t real = read_clock(CLOCK_REALTIME);
    const std::uint64_t ticks_after = clock_now();
    const std::uint64_t after = detail::monotonic_ns();
    if (after - before >= width) continue;
    width = after - before;
    best.ticks = ticks_before + (ticks_after - ticks_before) / 2;
    best.monotonic_ns = before + width / 2;
    best.realtime_ns = real;
    best.error_ns = static_cast<std::uint32_t>(width / 2 + 1);
  }
  return best;
}

std::uint64_t realtime_ns() noexcept {
  return read_clock(CLOCK_REALTIME);
}

}  // namespace mfushim::shim
