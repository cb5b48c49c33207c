// Where the kernels' time went, by name.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/run.hpp"
#include "passes/modelled.hpp"

namespace mfushim::passes {

struct KernelRow {
  std::string name;  // demangled; empty: the log does not tell
  std::string kernel_class;
  std::string dtype;  // of what it reads, by its name; empty: the name does not tell
  std::uint64_t calls = 0;
  std::int64_t total_ns = 0;
  std::optional<ModelledWork> modelled;           // of the calls that belong to no recorded product
  format::DType units = format::DType::kUnknown;  // on which it runs, by its name
};

struct KernelResult {
  std::vector<KernelRow> rows;  // most time first
  std::int64_t total_ns = 0;    // sum of all kernels' durations
  std::int64_t compute_ns = 0;  // of those that are not communication
  // Of kernels that multiply matrices by their name but belong to no recorded product and have no
  // model, and of products whose sizes the log does not tell.
  std::int64_t unknown_product_ns = 0;
  ModelledWork modelled;                             // of all kernels
  std::map<format::DType, double> modelled_by_type;  // FLOPs of it
};

KernelResult find_kernels(const model::Run& run);

}  // namespace mfushim::passes
