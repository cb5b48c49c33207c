// The work that MFU counts: how much of it is recorded and how much modelled, what the device did
// of it and what the model needs.
#pragma once

#include <cstdint>
#include <optional>

#include "passes/flops.hpp"
#include "passes/inference.hpp"
#include "passes/kernels.hpp"
#include "passes/operations.hpp"
#include "passes/products.hpp"
#include "passes/repeats.hpp"

namespace mfushim::passes {

// FLOPs of all ranks in the time that is known.
struct CountedWork {
  Flops products = 0;
  Flops exact = 0;     // of recorded products and exact operations
  Flops modelled = 0;  // of kernels that no call announces, without what they mask
  double modelled_low = 0;
  double modelled_high = 0;
  Flops executed = 0;  // of all, as the device did it: complex by three products is less
  // Of all, what the model needs: with attention's full square, and with half of it where it is or
  // may be masked.
  Flops noncausal = 0;
  Flops causal = 0;
  bool is_masked = false;  // kernels say that it is
  Flops low = 0;           // of what the model needs, by the range of what is modelled
  Flops high = 0;
  format::DType dtype = format::DType::kUnknown;  // of most
  // Device time of kernels that multiply matrices of unknown sizes, also as share of all compute.
  std::int64_t unknown_ns = 0;
  std::optional<double> unknown_share;
  bool is_inferred = false;  // something is known to be done again, or not to be

  Flops all() const { return exact + modelled; }
  Flops needed() const { return is_masked ? causal : noncausal; }
  double modelled_share() const;
};

// `inference` and `repeats` are about some steps of one process and are taken to hold for all.
CountedWork count_work(const ProductResult& products, const OperationResult& operations,
                       const KernelResult& kernels, const std::optional<Inference>& inference,
                       const Repeats& repeats);

}  // namespace mfushim::passes
