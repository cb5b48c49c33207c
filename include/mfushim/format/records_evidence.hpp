// What was covered, what was lost, and what the recorder cost.
#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>

#include "mfushim/format/enums.hpp"
#include "mfushim/format/field.hpp"

namespace mfushim::format {

// From `start` (host ticks) on, device times come from this source; `offset_ns` added to a device
// stamp gives CLOCK_REALTIME nanoseconds (0 when it is that clock already), within `error_ns`.
struct GpuTime {
  static constexpr Kind kKind = Kind::kGpuTime;
  GpuTimeSource source = GpuTimeSource::kNone;
  std::uint64_t start = 0;
  std::int64_t offset_ns = 0;
  std::uint32_t error_ns = 0;
  std::string_view reason;  // why this source, or why none
  static constexpr auto fields() {
    return std::tuple{Field{"source", &GpuTime::source}, Field{"start", &GpuTime::start},
                      Field{"offset_ns", &GpuTime::offset_ns},
                      Field{"error_ns", &GpuTime::error_ns}, Field{"reason", &GpuTime::reason}};
  }
};

// `count` records are missing for this cause between two host stamps (both 0: not known when).
struct Loss {
  static constexpr Kind kKind = Kind::kLoss;
  LossCause cause = LossCause::kUnknown;
  std::uint64_t count = 0;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::string_view detail;
  static constexpr auto fields() {
    return std::tuple{Field{"cause", &Loss::cause}, Field{"count", &Loss::count},
                      Field{"start", &Loss::start}, Field{"end", &Loss::end},
                      Field{"detail", &Loss::detail}};
  }
};

// Calls of `api` seen so far that came from `library`, the file name of the module that called or
// had looked the function up, through `door`: "symbol" (exported symbol), "dlsym" or "getproc"
// (cuGetProcAddress); "other", without the rest, for all sources beyond the recorder's room. Later
// records of the same key replace earlier ones.
struct Coverage {
  static constexpr Kind kKind = Kind::kCoverage;
  std::string_view door;
  std::string_view library;
  std::string_view api;
  std::uint64_t count = 0;
  static constexpr auto fields() {
    return std::tuple{Field{"door", &Coverage::door}, Field{"library", &Coverage::library},
                      Field{"api", &Coverage::api}, Field{"count", &Coverage::count}};
  }
};

// A loaded module that matters for trust: a CUDA library in use, or one that may launch unseen.
struct Module {
  static constexpr Kind kKind = Kind::kModule;
  std::string_view path;
  std::string_view role;     // "cudart", "cublas", ..., "unhooked"
  std::string_view version;  // as the library tells it; empty when not known
  std::string_view why;      // of "unhooked": what lets it pass the recorder by
  static constexpr auto fields() {
    return std::tuple{Field{"path", &Module::path}, Field{"role", &Module::role},
                      Field{"version", &Module::version}, Field{"why", &Module::why}};
  }
};

// What the recorder itself cost so far: `what` is "hook" (inside the program's threads), "writer",
// "cupti", "nvml". Later records of the same `what` replace earlier ones.
struct Cost {
  static constexpr Kind kKind = Kind::kCost;
  std::string_view what;
  std::uint64_t count = 0;
  std::uint64_t total_ns = 0;
  static constexpr auto fields() {
    return std::tuple{Field{"what", &Cost::what}, Field{"count", &Cost::count},
                      Field{"total_ns", &Cost::total_ns}};
  }
};

}  // namespace mfushim::format
