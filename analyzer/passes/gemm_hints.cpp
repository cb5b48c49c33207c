// Alignment, tiles against SMs, depth, and what the kernel's name admits.
#include "passes/gemm_hints.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "knowledge/dtypes.hpp"
#include "knowledge/kernels/kernel.hpp"

namespace mfushim::passes {

namespace {

using knowledge::KernelFacts;
using knowledge::Pipe;

constexpr unsigned kLoadBits = 128;          // what the widest load takes
constexpr double kFullEnough = 0.8;          // of the last wave's SMs
constexpr double kPaddingWorthSaying = 0.2;  // of the tiles' elements
constexpr std::uint64_t kShallow = 64;  // below this depth, inputs and output outweigh the sums
constexpr double kLastingWaves = 5;     // with more, the last one hardly counts

// A demangled name up to its template arguments.
std::string_view short_name(std::string_view name) {
  name = name.substr(0, name.find('<'));
  return name.starts_with("void ") ? name.substr(5) : name;
}

std::uint64_t tiles_of(std::uint64_t size, std::uint64_t tile) {
  return (size + tile - 1) / tile;
}

// Rows and columns of the name may be columns and rows of the call, so the better of both counts.
std::uint64_t fewest_tiles(const format::GemmShape& s, const KernelFacts& facts) {
  return s.batch * std::min(tiles_of(s.m, facts.tile_m) * tiles_of(s.n, facts.tile_n),
                            tiles_of(s.m, facts.tile_n) * tiles_of(s.n, facts.tile_m));
}

void add_hint(std::string& hints, const std::string& hint) {
  hints += (hints.empty() ? "" : "; ") + hint;
}

void add_alignment(std::string& hints, const ProductRow& row, const KernelFacts& facts) {
  const unsigned bits = knowledge::dtype_bits(row.dtype);
  if (facts.pipe != Pipe::kTensorCore || bits == 0 || bits >= kLoadBits) return;
  const std::uint64_t multiple = kLoadBits / bits;
  const std::pair<const char*, std::uint64_t> sizes[] = {
      {"m", row.shape.m}, {"n", row.shape.n}, {"k", row.shape.k}};
  for (const auto& [name, size] : sizes)
    if (size % multiple != 0 && size > 1)
      add_hint(hints, fmt::format("{} = {} is not a multiple of {}", name, size, multiple));
}

void add_tiles(std::string& hints, const ProductRow& row, const KernelFacts& facts,
               std::uint32_t sm_count) {
  if (facts.tile_m == 0 || facts.tile_n == 0) return;
  const std::uint64_t tiles = fewest_tiles(row.shape, facts);
  const std::string what =
      fmt::format("{} tile{} of {}x{}", tiles, tiles == 1 ? "" : "s", facts.tile_m, facts.tile_n);
  const double covered = static_cast<double>(tiles) * facts.tile_m * facts.tile_n;
  const double used = static_cast<double>(row.shape.m) * static_cast<double>(row.shape.n) *
                      static_cast<double>(row.shape.batch);
  if (covered > 0 && 1 - used / covered > kPaddingWorthSaying)
    add_hint(hints, fmt::format("{}: {:.0f} % of them is beyond the matrix", what,
                                100 * (1 - used / covered)));
  if (sm_count == 0 || facts.split_k) return;
  const double waves = static_cast<double>(tiles) / sm_count;
  if (waves < kFullEnough) {
    add_hint(hints, fmt::format("{} for {} SMs", what, sm_count));
  } else if (waves > 1 && waves < kLastingWaves) {
    const std::uint64_t last = tiles % sm_count;
    const double full = static_cast<double>(last) / sm_count;
    if (last != 0 && full < kFullEnough)
      add_hint(hints, fmt::format("{} are {:.2f} waves on {} SMs: the last is {:.0f} % full", what,
                                  waves, sm_count, 100 * full));
  }
}

// What runs beside the product because of how it is done.
void add_companions(std::string& hints, const ProductRow& row, const KernelFacts& facts) {
  if (!row.helper.empty() && row.total_ns > 0)
    add_hint(hints, fmt::format("{:.0f} % of its time in {}, which {}",
                                100 * static_cast<double>(row.helper_ns) /
                                    static_cast<double>(row.total_ns),
                                short_name(row.helper),
                                facts.split_k ? "sums parts along k" : "prepares or finishes it"));
  else if (facts.split_k)
    add_hint(hints, "split along k, so parts are summed afterwards");
  if (row.converted_before + row.converted_after == 0) return;
  add_hint(hints,
           fmt::format("types are changed before {} and after {} of {} calls, {:.1f} us by {}",
                       row.converted_before, row.converted_after, row.calls,
                       static_cast<double>(row.converter_ns) / 1e3, short_name(row.converter)));
}

}  // namespace

std::string gemm_hint(const ProductRow& row, std::uint32_t sm_count) {
  std::string hints;
  const format::GemmShape& s = row.shape;
  if (s.product != format::ProductKind::kGemm || (s.flags & format::kShapeUnknown) != 0 ||
      row.flops == 0)
    return hints;
  const KernelFacts facts = knowledge::describe_kernel(row.kernel);
  if (facts.pipe == Pipe::kSimt && row.dtype != format::DType::kF64)
    add_hint(hints, "runs on CUDA cores");
  add_alignment(hints, row, facts);
  if (s.k < kShallow) add_hint(hints, fmt::format("k = {} is little work per element", s.k));
  add_tiles(hints, row, facts, sm_count);
  add_companions(hints, row, facts);
  return hints;
}

}  // namespace mfushim::passes
