// Numerator from recorded products, denominator from the data sheet or as given; no default for
// either.
#include "passes/efficiency.hpp"

#include <fmt/format.h>

#include <map>

#include "knowledge/enum_names.hpp"
#include "knowledge/gpus.hpp"

namespace mfushim::passes {

namespace {

format::DType type_of_most(const ProductResult& products, const OperationResult& operations) {
  std::map<format::DType, Flops> by_type;
  for (const ProductRow& row : products.rows) by_type[row.dtype] += row.flops;
  for (const OperationRow& row : operations.rows)
    if (is_exact(row.shape)) by_type[row.shape.dtype] += row.flops;
  format::DType most = format::DType::kUnknown;
  Flops largest = 0;
  for (const auto& [dtype, flops] : by_type)
    if (flops > largest) {
      largest = flops;
      most = dtype;
    }
  return most;
}

std::string why_no_peak(const model::Rank& rank, format::DType dtype) {
  const model::DeviceInfo* const device = rank.device_info();
  if (!device || device->name.empty()) return "the log does not name the GPU: give --peak";
  if (!knowledge::find_gpu(device->name))
    return fmt::format("the peak of GPU '{}' is not known: give --peak", device->name);
  return fmt::format("the peak of GPU '{}' for {} is not known: give --peak", device->name,
                     knowledge::name_of(dtype));
}

// Peak times time, summed over the ranks; absent with a reason.
std::optional<double> possible_flops(const model::Run& run,
                                     const std::vector<std::optional<Ledger>>& ledgers,
                                     const EfficiencyOptions& options, Efficiency& result) {
  double possible = 0;
  for (std::size_t i = 0; i < run.ranks.size(); ++i) {
    if (!ledgers[i]) continue;
    const auto peak = options.peak_flops_per_s ? options.peak_flops_per_s
                                               : datasheet_peak(run.ranks[i], result.dtype);
    if (!peak) {
      result.absent_because = why_no_peak(run.ranks[i], result.dtype);
      return std::nullopt;
    }
    possible += *peak * static_cast<double>(ledgers[i]->total) / 1e9;
  }
  return possible;
}

}  // namespace

std::optional<double> datasheet_peak(const model::Rank& rank, format::DType dtype) {
  const model::DeviceInfo* const device = rank.device_info();
  const knowledge::Gpu* const gpu = device ? knowledge::find_gpu(device->name) : nullptr;
  return gpu ? gpu->peak(dtype) : std::nullopt;
}

Efficiency find_efficiency(const model::Run& run, const std::vector<std::optional<Ledger>>& ledgers,
                           const ProductResult& products, const OperationResult& operations,
                           const KernelResult& kernels, const EfficiencyOptions& options) {
  Efficiency result;
  result.flops = products.flops + operations.flops;
  result.dtype = options.dtype.value_or(type_of_most(products, operations));
  result.peak_given = options.peak_flops_per_s.has_value();
  double time = 0;
  for (const auto& ledger : ledgers)
    if (ledger) time += static_cast<double>(ledger->total) / 1e9;
  if (kernels.compute_ns > 0)
    result.unknown_share =
        static_cast<double>(kernels.unknown_product_ns) / static_cast<double>(kernels.compute_ns);
  if (time <= 0) {
    result.absent_because = "no GPU times were recorded";
    return result;
  }
  const auto flops = static_cast<double>(result.flops);
  if (result.flops == 0) {
    result.absent_because = "no matrix product was recorded whose shape is known";
    return result;
  }
  result.flops_per_s = flops / time;
  const auto possible = possible_flops(run, ledgers, options, result);
  if (!possible) return result;
  result.peak = *possible / time;
  result.value = flops / *possible;
  result.hfu = static_cast<double>(products.executed + operations.flops) / *possible;
  result.high = *result.value + static_cast<double>(kernels.unknown_product_ns) / 1e9 / time;
  return result;
}

}  // namespace mfushim::passes
