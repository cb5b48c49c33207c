// MFU: what the run computed over what its GPUs could have computed in the same time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/run.hpp"
#include "passes/kernels.hpp"
#include "passes/ledger.hpp"
#include "passes/operations.hpp"
#include "passes/products.hpp"

namespace mfushim::passes {

struct EfficiencyOptions {
  std::optional<double> peak_flops_per_s;  // dense, of every GPU; else from the data sheet
  std::optional<format::DType> dtype;      // of the peak; else the type of most FLOPs
};

struct Efficiency {
  Flops flops = 0;                    // observed: of all ranks' products and exact operations
  std::optional<double> flops_per_s;  // of one rank, mean over the run's device time
  format::DType dtype = format::DType::kUnknown;
  std::optional<double> peak;  // of one GPU: mean over ranks, weighted by their time
  bool peak_given = false;
  std::optional<double> value;          // the products' share of the peak
  std::optional<double> hfu;            // likewise, of what the device did for them
  std::optional<double> high;           // if all kernels of unknown products ran at peak
  std::optional<double> unknown_share;  // of compute time: such kernels
  std::string absent_because;           // why there is no value
};

Efficiency find_efficiency(const model::Run& run, const std::vector<std::optional<Ledger>>& ledgers,
                           const ProductResult& products, const OperationResult& operations,
                           const KernelResult& kernels, const EfficiencyOptions& options);

// The peak of a rank's GPU by the data sheet.
std::optional<double> datasheet_peak(const model::Rank& rank, format::DType dtype);

}  // namespace mfushim::passes
