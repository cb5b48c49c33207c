// How fast work went beside the two ceilings of its GPU: what its units can compute, and what its
// memory can move.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "passes/kernels.hpp"
#include "passes/operations.hpp"
#include "passes/products.hpp"

namespace mfushim::passes {

enum class Bound : std::uint8_t { kUnknown, kCompute, kMemory, kLatency };
const char* bound_name(Bound bound);

// Of one GPU, by the data sheet; absent where it is not known, or not the same for all.
struct Ceilings {
  std::optional<double> flops_per_s;
  std::optional<double> bytes_per_s;

  // FLOPs to a byte from which on the units are the lower ceiling.
  std::optional<double> ridge() const;
};

// Work with the device time that it took. Bytes are those that must be moved at least.
struct Roofline {
  double flops = 0;
  std::optional<double> bytes;
  std::int64_t time_ns = 0;
  std::uint64_t calls = 0;

  Roofline& operator+=(const Roofline& other);
  std::optional<double> flops_per_s() const;
  std::optional<double> bytes_per_s() const;
  std::optional<double> intensity() const;  // FLOPs to a byte
  std::optional<double> of_peak(const Ceilings& ceilings) const;
  std::optional<double> of_bandwidth(const Ceilings& ceilings) const;
  Bound bound(const Ceilings& ceilings) const;
};

// Of one execution: each operand once and the result once; what is added to it (beta) is not
// recorded. Absent where a size or type is not known.
std::optional<double> bytes_of(const format::GemmShape& shape);

// Of the calls that have device times.
Roofline roofline_of(const ProductRow& row);
Roofline roofline_of(const ModelledWork& work);

// Work of one class, whose ceiling is that of the type of most of it.
struct ClassRoofline {
  std::string kernel_class;
  format::DType dtype = format::DType::kUnknown;
  Roofline work;
};

// In a part of a run that has device times: recorded products and operations, modelled kernels by
// their class, copies within the device's memory and memory sets; most time first.
std::vector<ClassRoofline> find_rooflines(const model::Run& run, const ProductResult& products,
                                          const OperationResult& operations,
                                          const KernelResult& kernels);

}  // namespace mfushim::passes
