// Collects facts over the processes of a run.
#include "report/run_facts.hpp"

#include <algorithm>
#include <set>

#include "passes/efficiency.hpp"

namespace mfushim::report {

namespace {

struct Span {
  std::optional<std::int64_t> first;
  std::optional<std::int64_t> last;

  void add(std::int64_t start, std::int64_t end) {
    first = std::min(first.value_or(start), start);
    last = std::max(last.value_or(end), end);
  }
};

}  // namespace

RunFacts find_run_facts(const model::Run& run) {
  RunFacts facts;
  std::set<std::string> hosts;
  std::set<std::string> gpus;
  Span span;
  for (const auto& process : run.processes) {
    if (facts.command.empty()) facts.command = process->fact("command");
    if (!process->fact("host").empty()) hosts.insert(process->fact("host"));
    if (const auto start = process->integer_fact("start_unix_ns"))
      facts.start_unix_ns = std::min(facts.start_unix_ns.value_or(*start), *start);
    if (const auto calls = process->call_span()) span.add(calls->first, calls->last);
    const std::int64_t offset = process->gpu_time.offset_ns;
    for (const auto& [device, list] : process->work)
      for (const model::DeviceWork& work : list) span.add(work.start + offset, work.end + offset);
  }
  for (const model::Rank& rank : run.ranks)
    if (const auto* device = rank.device_info(); device && !device->name.empty())
      gpus.insert(device->name);
  facts.hosts.assign(hosts.begin(), hosts.end());
  facts.gpus.assign(gpus.begin(), gpus.end());
  if (span.first) facts.duration_ns = *span.last - *span.first;
  return facts;
}

std::optional<double> common_peak(const model::Run& run, format::DType dtype) {
  std::optional<double> common;
  for (const model::Rank& rank : run.ranks) {
    const auto peak = passes::datasheet_peak(rank, dtype);
    if (!peak || (common && *common != *peak)) return std::nullopt;
    common = peak;
  }
  return common;
}

std::optional<passes::Roofline> products_below_ridge(const model::Run& run,
                                                     const passes::ProductResult& products) {
  passes::Roofline sum;
  for (const passes::ProductRow& row : products.rows) {
    const passes::Roofline work = passes::roofline_of(row);
    const auto ridge = common_ceilings(run, row.dtype).ridge();
    if (ridge && work.intensity().value_or(*ridge) < *ridge) sum += work;
  }
  return sum.calls > 0 && sum.time_ns > 0 ? std::optional(sum) : std::nullopt;
}

passes::Ceilings common_ceilings(const model::Run& run, format::DType dtype) {
  passes::Ceilings ceilings{common_peak(run, dtype), std::nullopt};
  for (const model::Rank& rank : run.ranks) {
    const knowledge::GpuMatch gpu = passes::find_gpu(rank);
    // How much of the memory's bandwidth a slice has does not follow from its multiprocessors.
    if (gpu.candidates.size() != 1 || gpu.part != 1) return {ceilings.flops_per_s, std::nullopt};
    const auto bandwidth = gpu.candidates.front()->hbm_bytes_per_s;
    if (ceilings.bytes_per_s && bandwidth != ceilings.bytes_per_s)
      return {ceilings.flops_per_s, std::nullopt};
    ceilings.bytes_per_s = bandwidth;
  }
  return ceilings;
}

}  // namespace mfushim::report
