// How much kernels compute that no recorded call announces: from what their names tell and from
// their grids, with the range in which the truth is.
#pragma once

#include <cstdint>
#include <optional>

#include "knowledge/kernels/kernel.hpp"
#include "mfushim/format/records.hpp"

namespace mfushim::passes {

// FLOPs of attention are counted over the full square of queries and keys, as those of recorded
// products are; `masked` of them lie behind a causal mask, and kernels leave them out.
struct ModelledWork {
  double flops = 0;
  double low = 0;
  double high = 0;
  double masked = 0;
  double needed = 0;         // of `flops`: without what a backward kernel does again
  double needed_causal = 0;  // of these, in front of the mask
  double bytes = 0;          // moved at least; 0: not known
  std::uint64_t calls = 0;
  std::int64_t total_ns = 0;  // device time of these calls

  ModelledWork& operator+=(const ModelledWork& other);
  double executed() const { return flops - masked; }
};

// The type whose units such a kernel runs on; unknown where its name does not tell.
format::DType dtype_of(const knowledge::KernelFacts& facts);

// Of one launch, without its time; absent where name and grid do not tell.
std::optional<ModelledWork> model_launch(const knowledge::KernelFacts& facts,
                                         const format::LaunchConfig& config);

// Of `calls` of them, which took `total_ns`.
ModelledWork repeated(const ModelledWork& launch, std::uint64_t calls, std::int64_t total_ns);

}  // namespace mfushim::passes
