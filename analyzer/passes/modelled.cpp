// FlashAttention 2 by its grid, other kernels by rules of the user.
#include "passes/modelled.hpp"

#include "knowledge/dtypes.hpp"
#include "knowledge/enum_names.hpp"
#include "knowledge/kernels/user_rules.hpp"

namespace mfushim::passes {

namespace {

// Head dimensions are rounded up to the next template's, which are 32 apart; kernels take
// multiples of 8 alone.
constexpr double kHeadStep = 32;
constexpr double kHeadMultiple = 8;

// Products of queries by keys by head dimension: scores and values forward; backward the gradients
// of values, probabilities, queries and keys, and the scores again, which the model does not need.
constexpr double kForwardProducts = 2;
constexpr double kBackwardProducts = 5;
constexpr double kBackwardNeeded = 4;

// Queries, keys, values and results, each once; backward their gradients, too. As many heads of
// keys as of queries are assumed.
constexpr double kForwardTensors = 4;
constexpr double kBackwardTensors = 8;

// The grid of FlashAttention 2 is blocks of queries (backward: of keys) by batch by heads; as many
// keys as queries are assumed, and sequences of one length.
std::optional<ModelledWork> model_flash2(const knowledge::KernelFacts& facts,
                                         const format::LaunchConfig& config) {
  const double block = facts.backward ? facts.tile_n : facts.tile_m;
  if (block == 0 || facts.head_dim == 0 || facts.windowed || facts.split_k) return std::nullopt;
  const double sequences = static_cast<double>(config.grid_y) * config.grid_z;
  const double longest = block * config.grid_x;
  const double shortest = facts.even ? longest : longest - block + 1;
  const double widest = facts.head_dim;
  const double narrowest = facts.even_head ? widest : widest - kHeadStep + kHeadMultiple;
  const auto flops = [&](double length, double head) {
    return 2 * (facts.backward ? kBackwardProducts : kForwardProducts) * sequences * length *
           length * head;
  };
  ModelledWork work;
  work.low = flops(shortest, narrowest);
  work.high = flops(longest, widest);
  work.flops = (work.low + work.high) / 2;
  // Of s keys, the i-th query sees i.
  const double hidden = facts.causal ? (longest - 1) / (2 * longest) : 0;
  work.masked = work.flops * hidden;
  work.needed = facts.backward ? work.flops * kBackwardNeeded / kBackwardProducts : work.flops;
  work.needed_causal = work.needed * (1 - hidden);
  const double elements = sequences * (shortest + longest) / 2 * (narrowest + widest) / 2;
  work.bytes = elements * (facts.backward ? kBackwardTensors : kForwardTensors) *
               knowledge::dtype_bits(dtype_of(facts)) / 8;
  work.calls = 1;
  return work;
}

}  // namespace

ModelledWork& ModelledWork::operator+=(const ModelledWork& other) {
  flops += other.flops;
  low += other.low;
  high += other.high;
  masked += other.masked;
  needed += other.needed;
  needed_causal += other.needed_causal;
  bytes += other.bytes;
  calls += other.calls;
  total_ns += other.total_ns;
  return *this;
}

format::DType dtype_of(const knowledge::KernelFacts& facts) {
  // Where the name leaves the variant open both have one peak.
  if (facts.dtype == "16bit") return format::DType::kF16;
  if (facts.dtype == "fp8") return format::DType::kF8E4M3;
  return knowledge::value_of<format::DType>(facts.dtype).value_or(format::DType::kUnknown);
}

std::optional<ModelledWork> model_launch(const knowledge::KernelFacts& facts,
                                         const format::LaunchConfig& config) {
  if (config.grid_x == 0) return std::nullopt;
  if (facts.flops_rule) {
    const auto flops = facts.flops_rule->flops({config.grid_x, config.grid_y, config.grid_z},
                                               {config.block_x, config.block_y, config.block_z});
    if (!flops) return std::nullopt;
    ModelledWork work;
    work.flops = work.low = work.high = work.needed = work.needed_causal = *flops;
    work.calls = 1;
    return work;
  }
  if (facts.family == "flash_attention_2") return model_flash2(facts, config);
  return std::nullopt;
}

ModelledWork repeated(const ModelledWork& launch, std::uint64_t calls, std::int64_t total_ns) {
  const auto times = static_cast<double>(calls);
  return {.flops = launch.flops * times,
          .low = launch.low * times,
          .high = launch.high * times,
          .masked = launch.masked * times,
          .needed = launch.needed * times,
          .needed_causal = launch.needed_causal * times,
          .bytes = launch.bytes * times,
          .calls = calls,
          .total_ns = total_ns};
}

}  // namespace mfushim::passes
