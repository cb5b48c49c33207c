// The work of a model by its dimensions: what a token costs, by the conventions that published
// figures use. docs/mfu.md has the formulas and who uses which.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "knowledge/models.hpp"

namespace mfushim::knowledge {

// With N parameters, P of them in matrix products, L layers of attention with queries of Q values:
enum class Convention {
  kCausal,     // 6P + 6LQs: the matrix products, half of the attention's square
  kNoncausal,  // 6P + 12LQs: the matrix products, all of the square
  kPalm,       // 6N + 12LQs
  kSixN,       // 6N
};
inline constexpr Convention kConventions[] = {Convention::kCausal, Convention::kNoncausal,
                                              Convention::kPalm, Convention::kSixN};

enum class Recompute { kNone, kSelective, kFull };  // selective: the attention core alone

// As on the command line; absent when unknown.
std::string_view name_of(Convention convention);
std::optional<Convention> find_convention(std::string_view name);
std::string_view name_of(Recompute recompute);
std::optional<Recompute> find_recompute(std::string_view name);

// What is known about a model's work.
struct ModelWork {
  ModelShape shape;              // all 0 where only `params` is known
  std::optional<double> params;  // as given; else counted from the shape
  double seq = 0;                // tokens of a sequence, which see each other
  double mtp = 0;                // layers that predict further tokens, as trained here
  bool inference = false;        // forward only
  Recompute recompute = Recompute::kNone;
};

// FLOPs of one token.
struct TokenFlops {
  double model = 0;  // what the model needs
  // With what is recomputed; absent where that is the attention, and 6n does not count it.
  std::optional<double> hardware;
};

// Absent when `missing` names something.
std::optional<TokenFlops> flops_per_token(const ModelWork& work, Convention convention);

// The first thing that the convention needs and the work lacks, as an option of the command line;
// empty when nothing is missing.
std::string_view missing_for(const ModelWork& work, Convention convention);

// What the work allows that says most: causal, else palm, else 6n.
Convention usual_convention(const ModelWork& work);

// Parameters by the shape, without biases: all, those that a token passes (embeddings and router
// included), and those in matrix products (without the router).
struct ParameterCounts {
  double total = 0;
  double active = 0;
  double products = 0;
};
ParameterCounts count_parameters(const ModelShape& shape);

}  // namespace mfushim::knowledge
