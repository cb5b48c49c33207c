// What the log saw and what it did not: the evidence behind every other figure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/run.hpp"

namespace mfushim::passes {

struct Gap {
  std::string file;
  std::string what;
  std::optional<std::int64_t> missing_ns;  // of host time; absent: not known
};

// Calls of one class that one library made through one door.
struct Layer {
  std::string door;
  std::string library;  // empty: code in no module
  std::string_view call_class;
  std::uint64_t calls = 0;
};

// A loaded module that may launch unseen.
struct UnhookedModule {
  std::string path;
  std::string why;
  auto operator<=>(const UnhookedModule&) const = default;
};

// A function that the program looked up and that the recorder has no hook for.
struct UnhookedName {
  std::string name;
  std::string version;  // that was asked for; "0": by name alone
  auto operator<=>(const UnhookedName&) const = default;
};

// Launches of graphs that may have done more, or something else, than is counted, by why.
struct DoubtfulReplays {
  std::uint64_t unseen = 0;  // work went into the graph by ways that the recorder does not know
  std::uint64_t conditional = 0;  // nodes whose bodies run as often as the device decides
  std::uint64_t edited = 0;       // nodes of the executable graph were changed one by one
  std::uint64_t all = 0;          // launches with any of these
};

struct CoverageResult {
  std::uint64_t gpu_records = 0;
  std::uint64_t gpu_without_launch = 0;
  std::map<std::string, std::uint64_t> gpu_invalid;  // left out, by cause
  std::uint64_t gpu_early = 0;  // start before their launch, as most do, and are not left out
  std::uint64_t gpu_dropped = 0;
  std::uint64_t host_lost = 0;  // host records lost, of whatever cause
  std::uint64_t unknown_records = 0;
  DoubtfulReplays doubtful_replays;
  std::uint64_t captured_unplaced = 0;  // captured calls of which it is not known into which graph
  std::map<std::string, std::uint64_t>
      unlaunched_kernels;     // of GPU records without launch, by name
  std::vector<Layer> layers;  // by door, library and class
  std::vector<UnhookedModule> unhooked_modules;
  std::vector<UnhookedName> unhooked_names;
  std::vector<Gap> gaps;                 // damaged parts of logs
  std::vector<std::string> losses;       // one line per cause that the recorder counted
  std::vector<std::string> no_gpu_time;  // reasons, one per process without device times
  std::optional<std::int64_t> clock_error_ns;
  std::optional<std::int64_t> hook_ns;  // inside the program's threads, all processes
  std::int64_t writer_ns = 0;           // of the writer's thread
  std::int64_t cupti_ns = 0;            // spent on the buffers that CUPTI filled
  std::int64_t process_ns = 0;          // first to last recorded call, all processes

  std::uint64_t all_invalid() const;
};

CoverageResult find_coverage(const model::Run& run);

}  // namespace mfushim::passes
