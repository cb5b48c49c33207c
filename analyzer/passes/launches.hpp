// What launching costs: host time, delays, and the device idle because the host was late.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "model/run.hpp"
#include "passes/ledger.hpp"

namespace mfushim::passes {

// Summed over the ranks of a run; times in nanoseconds.
struct LaunchResult {
  std::uint64_t calls = 0;  // kernel and graph launches that succeeded
  std::uint64_t failed = 0;
  std::uint64_t graph_launches = 0;
  std::int64_t host_ns = 0;           // inside those calls
  std::uint64_t with_gpu_record = 0;  // launches that device work refers to
  std::uint64_t graph_kernels = 0;    // kernel records of graph launches
  std::uint64_t graphs_with_record = 0;

  // GPU start - end of the launch call, for the first record of each launch.
  struct Delay {
    std::int64_t p50, p90, p99;
  };
  std::optional<Delay> delay;

  // Of GPU records that a single call launched (graphs aside), as HolisticTraceAnalysis counts
  // them.
  std::uint64_t records = 0;
  std::uint64_t shorter_than_call = 0;
  std::uint64_t call_over_50us = 0;
  std::uint64_t delay_over_100us = 0;

  // Gaps of the device that ended with work launched after the gap began. Absent without device
  // times on a clock that host times can be compared with.
  struct Bound {
    std::int64_t total_ns = 0;         // all of these gaps
    std::int64_t launch_calls_ns = 0;  // host inside launches, copies, products, collectives
    std::int64_t other_calls_ns = 0;   // host inside other recorded calls: waits, allocations
    std::int64_t outside_ns = 0;       // host in none of them: framework, data
    std::int64_t device_ns = 0;        // from the launch call's end to the work's start
    std::int64_t device_total_ns = 0;  // total time of the devices looked at
  };
  std::optional<Bound> bound;
};

// `activities` are the ranks' own, empty where a rank has no device times.
LaunchResult find_launches(const model::Run& run, View view,
                           const std::vector<std::optional<Activity>>& activities);

}  // namespace mfushim::passes
