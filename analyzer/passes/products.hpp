// The matrix products of a run by shape, with their FLOPs and the device time they took.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/run.hpp"
#include "passes/flops.hpp"

namespace mfushim::passes {

struct ProductRow {
  format::GemmShape shape;                        // its id means nothing here
  format::DType dtype = format::DType::kUnknown;  // whose units it ran on
  std::string library;                            // cublas, cublaslt, ...
  std::string kernel;       // that took most of the time; empty without device times
  std::uint64_t calls = 0;  // executions
  Flops flops = 0;          // of all of them
  Flops executed = 0;       // likewise, as the device did them
  std::string helper;       // that took most of what is left, of those that split or join products
  std::int64_t helper_ns = 0;
  // Kernels that change types right before and after the calls on their stream, one of them, and
  // the time of all.
  std::uint64_t converted_before = 0;
  std::uint64_t converted_after = 0;
  std::string converter;
  std::int64_t converter_ns = 0;
  std::int64_t kernel_ns = 0;  // of `total_ns`: that kernel's
  std::int64_t total_ns = 0;   // device time of their kernels; a grouped call's is divided by FLOPs
  Flops timed_flops = 0;       // of the calls whose kernels have device times

  bool is_timed() const { return !kernel.empty() || total_ns > 0; }
  std::optional<double> flops_per_s() const;
};

struct ProductResult {
  std::vector<ProductRow> rows;  // most time first
  Flops flops = 0;
  Flops executed = 0;
  std::uint64_t executions = 0;
  std::uint64_t unknown_shapes = 0;  // executions whose dimensions the log does not tell
  std::vector<Flops> by_rank;  // as Run::ranks; what a process with several devices did counts
                               // for the device its kernels ran on, else for its first
};

// Whether the log tells the sizes of a recorded product.
bool has_known_shape(const model::Process& process, const model::HostCall& call);

ProductResult find_products(const model::Run& run);

}  // namespace mfushim::passes
