// Adds up the coverage, loss and cost records of all logs of a run.
#include "passes/coverage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "knowledge/enum_names.hpp"
#include "mfushim/format/api.hpp"
#include "model/time_limits.hpp"

namespace mfushim::passes {

namespace {

using format::LossCause;

void add_losses(const model::Process& process, CoverageResult& result) {
  for (const model::Loss& loss : process.losses) {
    switch (loss.cause) {
      case LossCause::kGpuInvalid:
        result.gpu_invalid[loss.detail] += loss.count;
        continue;
      case LossCause::kNotTimed:
        break;
      case LossCause::kGpuDropped:
        result.gpu_dropped += loss.count;
        break;
      default:
        result.host_lost += loss.count;
        break;
    }
    const std::string_view cause = knowledge::name_of(loss.cause);
    result.losses.push_back(fmt::format("{}: {} x {}{}{}", process.path, loss.count,
                                        cause.empty() ? "unknown" : cause,
                                        loss.detail.empty() ? "" : ": ", loss.detail));
  }
  for (const auto& [cause, records] : process.quarantined)
    result.gpu_invalid[std::string(cause)] += records;
  result.gpu_early += process.early_records;
}

void add_gaps(const model::Process& process, CoverageResult& result) {
  for (const read::Damage& damage : process.damages) {
    Gap gap{.file = process.path,
            .what = fmt::format("{:#x}: {} ({} bytes)", damage.offset, damage.what, damage.bytes),
            .missing_ns = std::nullopt};
    if (damage.from_ticks && damage.to_ticks)
      gap.missing_ns =
          process.clock.to_ns(*damage.to_ticks) - process.clock.to_ns(*damage.from_ticks);
    result.gaps.push_back(std::move(gap));
  }
  const bool torn = !process.damages.empty() && process.damages.back().at_end;
  if (!process.ended_in_order && !torn)
    result.gaps.push_back({.file = process.path,
                           .what = "the log has no orderly end: what came after is not known",
                           .missing_ns = std::nullopt});
}

void add_times(const model::Process& process, CoverageResult& result) {
  if (process.gpu_time.source == format::GpuTimeSource::kImported) {
    // One clock for both in the trace, which does not tell how well they were brought together.
  } else if (process.has_gpu_time()) {
    const std::int64_t error = std::int64_t{process.gpu_time.error_ns} + process.clock.error_ns();
    result.clock_error_ns = std::max(result.clock_error_ns.value_or(0), error);
  }
  if (process.gpu_time.source == format::GpuTimeSource::kEvents) {
    result.no_gpu_time.push_back(process.gpu_time.reason + ", of other work none");
  } else if (!process.has_gpu_time() && process.work.empty()) {
    result.no_gpu_time.push_back(process.gpu_time.reason.empty() ? "the log does not say why"
                                                                 : process.gpu_time.reason);
  }
  for (const auto& [what, cost] : process.costs) {
    const std::int64_t ns = model::within_limits(cost.total_ns);
    if (what == "hook")
      result.hook_ns = model::within_limits(__int128{ns} + result.hook_ns.value_or(0));
    if (what == "writer") model::add_duration(result.writer_ns, ns);
    if (what == "cupti") model::add_duration(result.cupti_ns, ns);
  }
  if (const auto span = process.call_span())
    model::add_duration(result.process_ns, span->last - span->first);
}

// What a call of this name does; the recorder's own grouping, less fine.
std::string_view class_of(std::string_view api) {
  using enum format::ApiClass;
  const auto row = std::ranges::find(format::kApis, api, &format::ApiRow::name);
  switch (row != format::kApis.end() ? row->api_class : kLookup) {
    case kLaunch:
      return "launch";
    case kGraphLaunch:
      return "graph_launch";
    case kCopy:
      return "copy";
    case kSet:
      return "set";
    case kSync:
      return "sync";
    case kGemm:
      return "product";
    case kCollective:
      return "collective";
    default:
      return "other";
  }
}

void add_graphs(const model::Process& process, CoverageResult& result) {
  DoubtfulReplays& doubtful = result.doubtful_replays;
  for (const model::HostCall& call : process.calls) {
    result.captured_unplaced += call.graph == format::kUnknownGraph;
    if (call.kind != model::CallKind::kGraphLaunch || call.graph != 0 || call.result != 0) continue;
    const std::uint32_t flags = process.graphs.at(call.subject).flags;
    doubtful.unseen += (flags & format::kGraphUnseen) != 0;
    doubtful.conditional += (flags & format::kGraphConditional) != 0;
    doubtful.edited += (flags & format::kGraphEdited) != 0;
    doubtful.all += flags != 0;
  }
}

using LayerCounts = std::map<std::tuple<std::string, std::string, std::string_view>, std::uint64_t>;

void add_layers(const model::Process& process, LayerCounts& layers) {
  for (const model::CoverageCount& count : process.coverage)
    layers[{count.door, count.library, class_of(count.api)}] += count.count;
}

void add_unhooked(const model::Process& process, CoverageResult& result) {
  for (const auto& module : process.modules)
    if (module.role == "unhooked") result.unhooked_modules.push_back({module.path, module.why});
  constexpr std::string_view kPrefix = "unhooked.";
  for (auto fact = process.facts.lower_bound(kPrefix);
       fact != process.facts.end() && fact->first.starts_with(kPrefix); ++fact)
    result.unhooked_names.push_back({fact->first.substr(kPrefix.size()), fact->second});
}

template <class Item>
void keep_distinct(std::vector<Item>& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

}  // namespace

std::uint64_t CoverageResult::all_invalid() const {
  std::uint64_t all = 0;
  for (const auto& [cause, records] : gpu_invalid) all += records;
  return all;
}

CoverageResult find_coverage(const model::Run& run) {
  CoverageResult result;
  LayerCounts layers;
  for (const auto& process : run.processes) {
    add_losses(*process, result);
    add_gaps(*process, result);
    add_times(*process, result);
    add_graphs(*process, result);
    result.unknown_records += process->unknown_records;
    add_layers(*process, layers);
    add_unhooked(*process, result);
    for (const auto& [device, work] : process->work)
      for (const model::DeviceWork& record : work) {
        ++result.gpu_records;
        if (record.call != model::kNone) continue;
        ++result.gpu_without_launch;
        if (record.kind == model::WorkKind::kKernel)
          ++result.unlaunched_kernels[process->kernel_names[process->configs[record.config].kernel]
                                          .text];
      }
  }
  for (const auto& [key, calls] : layers) {
    const auto& [door, library, call_class] = key;
    result.layers.push_back({door, library, call_class, calls});
  }
  keep_distinct(result.unhooked_modules);
  keep_distinct(result.unhooked_names);
  return result;
}

}  // namespace mfushim::passes
