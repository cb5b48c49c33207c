// One function per mistake: what the MFU would be without it.
#include "knowledge/doubts.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "knowledge/enum_names.hpp"

namespace mfushim::knowledge {

namespace {

constexpr double kDoubtfulHigh = 0.8;
constexpr double kDoubtfulLow = 0.01;

// The largest factor that is tried for GPUs and micro-batches that were forgotten.
constexpr double kLargestFactor = 65536;

// Peaks within this share of each other are one figure, rounded.
constexpr double kSamePeak = 0.02;

// Model's work over executed work: full recomputation is 3/4, padding less; rounding and pieces
// that no record tells are above 1.
constexpr double kLeastRatio = 0.5;
constexpr double kMostRatio = 1.15;

bool is_usual(double mfu) {
  return mfu >= kUsualLow && mfu <= kUsualHigh;
}

Cause make(std::string name, double mfu, std::string text) {
  return {std::move(name), std::move(text), mfu, is_usual(mfu)};
}

// The smallest power of two that brings the number down (or up) to what is usual; else the nearest.
double forgotten_factor(double mfu) {
  double factor = 2;
  if (mfu > kUsualHigh)
    while (mfu / factor > kUsualHigh && factor < kLargestFactor) factor *= 2;
  else
    while (mfu * factor < kUsualLow && factor < kLargestFactor) factor *= 2;
  return factor;
}

void try_gpus(const Claim& claim, std::vector<Cause>& causes) {
  const bool high = claim.mfu > kUsualHigh;
  if (claim.rate_given) {
    if (high && claim.gpus > 1)
      causes.push_back(
          make("gpus", claim.mfu / claim.gpus,
               fmt::format("the rate is that of all {} GPUs, not of one", claim.gpus)));
    return;
  }
  const double factor = forgotten_factor(claim.mfu);
  const double gpus = high ? claim.gpus * factor : claim.gpus / factor;
  if (gpus >= 1)
    causes.push_back(make("gpus", high ? claim.mfu / factor : claim.mfu * factor,
                          fmt::format("{} GPUs did the step, not {}", gpus, claim.gpus)));
}

bool may_be_sparse(const Claim& claim) {
  return !claim.gpu.candidates.empty() && claim.gpu.candidates.front()->has_sparse(claim.dtype);
}

void try_peak(const Claim& claim, std::vector<Cause>& causes) {
  const auto sheet = claim.gpu.peak(claim.dtype);
  if (!claim.peak_given) {
    if (sheet && may_be_sparse(claim))
      causes.push_back(make("sparse_peak", claim.mfu / 2,
                            "the products are sparse, which doubles the data sheet's peak"));
    return;
  }
  if (*claim.peak_given > 1e18)
    causes.push_back(
        make("peak_unit", claim.mfu * 1e12, "the peak was given in FLOP/s; --peak wants TFLOP/s"));
  if (Cause petas =
          make("peak_unit", claim.mfu / 1e3, "the peak was given in PFLOP/s; --peak wants TFLOP/s");
      petas.explains)
    causes.push_back(std::move(petas));
  if (!sheet || std::abs(sheet->high / *claim.peak_given - 1) < kSamePeak) return;
  const double ratio = *claim.peak_given / sheet->high;
  const bool sparse = std::abs(ratio - 2) < 0.05 && may_be_sparse(claim);
  causes.push_back(make(sparse ? "sparse_peak" : "peak", claim.mfu * ratio,
                        fmt::format("the peak is the {:.1f} TFLOP/s of the data sheet; the {:.1f} "
                                    "that were given {}",
                                    sheet->high / 1e12, *claim.peak_given / 1e12,
                                    sparse ? "are with sparsity" : "are not this GPU's")));
}

void try_types(const Claim& claim, std::vector<Cause>& causes) {
  const auto used = claim.gpu.peak(claim.dtype);
  if (claim.gpu.candidates.empty()) return;
  const double peak = claim.peak_given.value_or(used ? used->high : 0);
  if (peak <= 0) return;
  std::optional<Cause> nearest;
  for (const Peak& other : claim.gpu.candidates.front()->peaks) {
    if (other.dtype == format::DType::kI8) continue;  // no floating-point operations
    const double other_peak = other.flops_per_s * claim.gpu.part;
    const bool helps = claim.mfu > kUsualHigh ? other_peak > peak * (1 + kSamePeak)
                                              : other_peak < peak * (1 - kSamePeak);
    if (!helps) continue;
    Cause cause = make("dtype", claim.mfu * peak / other_peak,
                       fmt::format("the products ran in {}, whose peak is {:.1f} TFLOP/s",
                                   name_of(other.dtype), other_peak / 1e12));
    // Single precision needs no more than a switch to run as tf32.
    if (claim.dtype == format::DType::kF32 && other.dtype == format::DType::kTf32)
      causes.push_back(std::move(cause));
    else if (!nearest || (cause.explains && !nearest->explains))
      nearest = std::move(cause);
  }
  if (nearest) causes.push_back(std::move(*nearest));
}

void try_params(const Claim& claim, std::vector<Cause>& causes) {
  if (!claim.params) return;
  constexpr std::array<double, 3> kUnits = {1e3, 1e6, 1e9};
  const bool high = claim.mfu > kUsualHigh;
  Cause best;
  for (const double unit : kUnits) {
    const double factor = high ? 1 / unit : unit;
    Cause cause = make("params_unit", claim.mfu * factor,
                       fmt::format("the model has {:g} parameters, not {:g}",
                                   *claim.params * factor, *claim.params));
    if (best.name.empty() || cause.explains) best = std::move(cause);
  }
  causes.push_back(std::move(best));
}

void try_tokens(const Claim& claim, std::vector<Cause>& causes) {
  if (claim.rate_given) return;
  const double factor = forgotten_factor(claim.mfu);
  if (claim.mfu > kUsualHigh) {
    causes.push_back(make("tokens_per_step", claim.mfu / factor,
                          fmt::format("the time is that of one of {} micro-batches, the tokens "
                                      "those of the whole step",
                                      factor)));
    return;
  }
  if (claim.seq > 0)
    causes.push_back(make("tokens_per_step", claim.mfu * claim.seq,
                          "the tokens per step are sequences per step"));
  if (claim.gpus > 1)
    causes.push_back(make("tokens_per_step", claim.mfu * claim.gpus,
                          "the tokens per step are those of one GPU"));
  causes.push_back(make("tokens_per_step", claim.mfu * factor,
                        fmt::format("the tokens are those of one of {} micro-batches", factor)));
}

void try_forward(const Claim& claim, std::vector<Cause>& causes) {
  if (claim.mfu > kUsualHigh && !claim.inference)
    causes.push_back(
        make("forward_only", claim.mfu / 3, "nothing was trained: forward is a third of the work"));
}

}  // namespace

bool is_doubtful(double mfu, bool inference) {
  return mfu > kDoubtfulHigh || (!inference && mfu < kDoubtfulLow);
}

std::vector<Cause> find_causes(const Claim& claim) {
  // Above 1 the peak itself is suspected first where the user gave it, or tf32 was likely meant.
  const bool peak_first = claim.mfu > 1 && (claim.peak_given || claim.dtype == format::DType::kF32);
  std::vector<Cause> causes;
  if (peak_first) causes = find_peak_causes(claim);
  try_gpus(claim, causes);
  if (!peak_first)
    for (Cause& cause : find_peak_causes(claim)) causes.push_back(std::move(cause));
  try_params(claim, causes);
  try_tokens(claim, causes);
  try_forward(claim, causes);
  return causes;
}

std::vector<Cause> find_peak_causes(const Claim& claim) {
  std::vector<Cause> causes;
  try_peak(claim, causes);
  try_types(claim, causes);
  return causes;
}

bool is_mismatch(double ratio) {
  return ratio < kLeastRatio || ratio > kMostRatio;
}

std::vector<Cause> find_mismatches(const MismatchClaim& claim) {
  std::vector<Cause> causes;
  const auto add = [&](std::string name, double ratio, std::string text) {
    causes.push_back({std::move(name), std::move(text), ratio, !is_mismatch(ratio), true});
  };
  const bool high = claim.ratio > 1;
  if (claim.gpus > 1)
    add("tokens_per_step", high ? claim.ratio / claim.gpus : claim.ratio * claim.gpus,
        high ? "the tokens per step were counted once for each GPU"
             : "the tokens per step are those of one GPU");
  double factor = 2;
  const auto corrected = [&] { return high ? claim.ratio / factor : claim.ratio * factor; };
  while (is_mismatch(corrected()) && (corrected() > 1) == high && factor < kLargestFactor)
    factor *= 2;
  add("tokens_per_step", corrected(),
      high ? fmt::format("the tokens are those of {} recorded steps", factor)
           : fmt::format("the tokens are those of one of {} micro-batches", factor));
  if (claim.params_given)
    for (const double unit : {1e3, 1e6, 1e9})
      if (const double ratio = high ? claim.ratio / unit : claim.ratio * unit; !is_mismatch(ratio))
        add("params_unit", ratio, fmt::format("the parameters are off by {:g}", unit));
  if (high) add("forward_only", claim.ratio / 3, "the recorded steps only went forward");
  return causes;
}

}  // namespace mfushim::knowledge
