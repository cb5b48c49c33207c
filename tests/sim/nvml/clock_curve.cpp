// Reads the curve once, and the time each time.
#include "clock_curve.hpp"

#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace mfusim::nvml {
namespace {

constexpr unsigned kUsualMegahertz = 1755;
constexpr unsigned long long kPowerCap = 4;  // nvmlClocksEventReasonSwPowerCap

std::int64_t now_ns() {
  timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

const std::int64_t g_opened = now_ns();

struct Change {
  std::int64_t after_ns;
  unsigned megahertz;
};

std::vector<Change> read_curve() {
  std::vector<Change> curve;
  const char* text = getenv("MFUSIM_CLOCK");
  char* end = nullptr;
  while (text && *text) {
    const auto megahertz = unsigned(strtoul(text, &end, 10));
    double seconds = 0;
    if (end != text && *end == '@') seconds = strtod(text = end + 1, &end);
    if (end == text || (*end && *end != ':')) {
      fprintf(stderr, "mfusim: MFUSIM_CLOCK=%s is no clock curve\n", getenv("MFUSIM_CLOCK"));
      abort();
    }
    curve.push_back({std::int64_t(seconds * 1e9), megahertz});
    text = *end ? end + 1 : end;
  }
  if (curve.empty()) curve.push_back({0, kUsualMegahertz});
  return curve;
}

}  // namespace

Reading read_clock() {
  static const auto* const curve = new std::vector<Change>(read_curve());  // asked at exit, too
  Reading reading{now_ns(), curve->front().megahertz, 0};
  for (const Change& change : *curve)
    if (reading.time_ns - g_opened >= change.after_ns) reading.megahertz = change.megahertz;
  if (reading.megahertz < curve->front().megahertz) reading.limits = kPowerCap;
  return reading;
}

}  // namespace mfusim::nvml
