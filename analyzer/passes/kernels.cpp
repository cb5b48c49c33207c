// Sums durations over all ranks by kernel name.
#include "passes/kernels.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "knowledge/kernels/kernel.hpp"
#include "model/time_limits.hpp"
#include "passes/flops.hpp"
#include "passes/modelled_kernels.hpp"
#include "passes/products.hpp"

namespace mfushim::passes {

namespace {

struct Count {
  std::uint64_t calls = 0;
  std::int64_t total_ns = 0;
  std::uint64_t modelled_calls = 0;
  std::int64_t modelled_ns = 0;
};

// Of one process by launch configuration: ids are cheaper than names.
using Counts = std::unordered_map<std::uint32_t, Count>;

// Without a recorded call and a model, or of a call whose sizes the log does not tell.
bool is_of_unknown_product(const model::Process& process, const model::DeviceWork& work) {
  if (work.owner == model::kNone)
    return knowledge::is_product_class(
        process.kernel_names[process.configs[work.config].kernel].facts.kernel_class);
  const model::HostCall& owner = process.calls[work.owner];
  if (owner.kind == model::CallKind::kOperation)
    return !is_exact(process.operations[owner.subject]);
  return owner.kind == model::CallKind::kGemm && !has_known_shape(process, owner);
}

void look_at(const model::Process& process, const model::DeviceWork& work,
             ModelledKernels& modelled, Counts& counts, KernelResult& result) {
  if (work.kind != model::WorkKind::kKernel || work.sampled) return;
  const std::int64_t duration = work.end - work.start;
  Count& count = counts[work.config];
  ++count.calls;
  model::add_duration(count.total_ns, duration);
  model::add_duration(result.total_ns, duration);
  if (work.communication) return;
  model::add_duration(result.compute_ns, duration);
  if (modelled.find(work)) {
    ++count.modelled_calls;
    model::add_duration(count.modelled_ns, duration);
  } else if (is_of_unknown_product(process, work)) {
    model::add_duration(result.unknown_product_ns, duration);
  }
}

void add_modelled(const knowledge::KernelFacts& facts, const ModelledWork& launch,
                  const Count& count, KernelRow& row, KernelResult& result) {
  const ModelledWork work = repeated(launch, count.modelled_calls, count.modelled_ns);
  if (!row.modelled) row.modelled.emplace();
  *row.modelled += work;
  result.modelled += work;
  result.modelled_by_type[dtype_of(facts)] += work.flops;
}

}  // namespace

KernelResult find_kernels(const model::Run& run) {
  KernelResult result;
  std::map<std::string, KernelRow> rows;
  for (const auto& process : run.processes) {
    Counts counts;
    ModelledKernels modelled(*process);
    for (const auto& [device, list] : process->work)
      for (const model::DeviceWork& work : list) look_at(*process, work, modelled, counts, result);
    for (const auto& [config, count] : counts) {
      const auto& name = process->kernel_names[process->configs[config].kernel];
      KernelRow& row = rows[name.text];
      row.name = name.text;
      row.kernel_class = name.facts.kernel_class;
      row.dtype = name.facts.dtype;
      row.units = dtype_of(name.facts);
      row.calls += count.calls;
      model::add_duration(row.total_ns, count.total_ns);
      if (count.modelled_calls > 0)
        add_modelled(name.facts, *modelled.find(config), count, row, result);
    }
  }
  for (auto& [name, row] : rows) result.rows.push_back(std::move(row));
  std::stable_sort(result.rows.begin(), result.rows.end(),
                   [](const KernelRow& a, const KernelRow& b) { return a.total_ns > b.total_ns; });
  return result;
}

}  // namespace mfushim::passes
