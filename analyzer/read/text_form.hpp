// A log as readable text and back, so that a log can be looked at, written by hand and compared.
//
//   mfushim-log major=1 minor=2 quirks=0 created_unix_ns=0 log_id=00.. ticks_per_second=1000000000
//   segment sequence=0 first_ticks=0 last_ticks=90 flags=1
//   block gpu_kernel lane=1
//     config=1 duration=50 start=1000 correlation=7
//
// One record a line below its block. A field that is left out has the value that an empty record
// has; dump writes all of them. Lines that are empty or start with '#' mean nothing.
#pragma once

#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "mfushim/format/enums.hpp"
#include "read/log_reader.hpp"

namespace mfushim::read {

inline constexpr std::string_view kTextMagic = "mfushim-log";
inline constexpr std::string_view kUnknownBlock = "unknown";

// The words that open blocks.
inline constexpr std::array<std::pair<format::Kind, std::string_view>, 33> kKindNames = {{
    {format::Kind::kFact, "fact"},
    {format::Kind::kName, "name"},
    {format::Kind::kThread, "thread"},
    {format::Kind::kDevice, "device"},
    {format::Kind::kStream, "stream"},
    {format::Kind::kQueue, "queue"},
    {format::Kind::kLaunchConfig, "launch_config"},
    {format::Kind::kGemmShape, "gemm_shape"},
    {format::Kind::kCommunicator, "communicator"},
    {format::Kind::kCollectiveShape, "collective_shape"},
    {format::Kind::kClockAnchor, "clock_anchor"},
    {format::Kind::kOperationShape, "operation_shape"},
    {format::Kind::kLaunch, "launch"},
    {format::Kind::kGraphLaunch, "graph_launch"},
    {format::Kind::kCopy, "copy"},
    {format::Kind::kSet, "set"},
    {format::Kind::kSync, "sync"},
    {format::Kind::kGemm, "gemm"},
    {format::Kind::kCollective, "collective"},
    {format::Kind::kCall, "call"},
    {format::Kind::kMark, "mark"},
    {format::Kind::kOperation, "operation"},
    {format::Kind::kCaptured, "captured"},
    {format::Kind::kGraph, "graph"},
    {format::Kind::kGpuKernel, "gpu_kernel"},
    {format::Kind::kGpuCopy, "gpu_copy"},
    {format::Kind::kGpuSet, "gpu_set"},
    {format::Kind::kGpuState, "gpu_state"},
    {format::Kind::kGpuTime, "gpu_time"},
    {format::Kind::kLoss, "loss"},
    {format::Kind::kCoverage, "coverage"},
    {format::Kind::kModule, "module"},
    {format::Kind::kCost, "cost"},
}};
static_assert(kKindNames.size() == std::tuple_size_v<format::AllRecords>);

// Empty for kinds that this version does not know.
constexpr std::string_view kind_name(format::Kind kind) {
  for (const auto& [candidate, name] : kKindNames)
    if (candidate == kind) return name;
  return {};
}
constexpr std::optional<format::Kind> kind_of(std::string_view name) {
  for (const auto& [kind, candidate] : kKindNames)
    if (candidate == name) return kind;
  return std::nullopt;
}

// Writes what is whole; what was skipped is in reader.damages() afterwards.
void dump(LogReader& reader, std::FILE* out);

// Makes a log of a text; a fault is a FormatError that names its line, and leaves no log.
void assemble(const std::string& text_path, const std::string& log_path);

}  // namespace mfushim::read
