// Counts multiply-adds of one token's forward pass by kind; everything else is factors on them.
#include "knowledge/model_flops.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace mfushim::knowledge {

namespace {

constexpr std::array<std::pair<Convention, std::string_view>, 4> kConventionNames = {{
    {Convention::kCausal, "causal"},
    {Convention::kNoncausal, "noncausal"},
    {Convention::kPalm, "palm"},
    {Convention::kSixN, "6n"},
}};

constexpr std::array<std::pair<Recompute, std::string_view>, 3> kRecomputeNames = {{
    {Recompute::kNone, "none"},
    {Recompute::kSelective, "selective"},
    {Recompute::kFull, "full"},
}};

// FLOPs of one token's forward pass.
struct Forward {
  double layers = 0;     // of the layers' weights
  double head = 0;       // of the output matrix
  double attention = 0;  // of queries with keys, and of weights with values
};

double feed_forward(const ModelShape& shape, double width) {
  return (shape.gated ? 3 : 2) * shape.hidden * width;
}

// One expert's weights.
double expert_weights(const ModelShape& s) {
  const double share = s.moe_latent > 0 ? s.moe_latent / s.hidden : 1;
  return share * feed_forward(s, s.moe_ffn);
}

// Weights of one layer's attention.
double attention_weights(const ModelShape& s) {
  if (s.kv_lora == 0) return 2 * s.hidden * (s.heads + s.kv_heads) * s.head_dim;
  const double query = s.heads * (s.head_dim + s.rope_dim);
  return (s.q_lora > 0 ? s.q_lora * (s.hidden + query) : s.hidden * query) +
         s.kv_lora * (s.hidden + s.heads * (s.head_dim + s.value_dim)) + s.hidden * s.rope_dim +
         s.heads * s.value_dim * s.hidden;
}

double mamba_weights(const ModelShape& s) {
  return s.hidden * (2 * s.mamba_inner + 2 * s.mamba_groups * s.mamba_state + s.mamba_heads) +
         s.mamba_inner * s.hidden;
}

double active_expert_weights(const ModelShape& s) {
  return s.topk * expert_weights(s) + feed_forward(s, s.shared_ffn) + 2 * s.hidden * s.moe_latent;
}

// What a further predicted token costs: a layer like the last, and the joining of two inputs.
double mtp_weights(const ModelShape& s) {
  const double last = s.moe_layers > 0 ? active_expert_weights(s) : feed_forward(s, s.ffn);
  return attention_weights(s) + last + 2 * s.hidden * s.hidden;
}

double layer_weights(const ModelShape& s) {
  return s.layers * attention_weights(s) + s.dense_layers * feed_forward(s, s.ffn) +
         s.moe_layers * active_expert_weights(s) + s.mamba_layers * mamba_weights(s) +
         s.patch * s.hidden;
}

// How many positions a query meets in the mean, of all or of the past alone.
double met(double seq, double reach, bool chunked, bool past) {
  const double within = std::min(seq, reach);
  if (!past) return within;
  return chunked ? within / 2 : within - within * within / (2 * seq);
}

double attention_flops(const ModelWork& work, double mtp, bool causal) {
  const ModelShape& s = work.shape;
  const bool past = causal && !s.bidirectional;
  const double local = std::min(s.window > 0 ? s.window_layers : 0, s.layers);
  const double positions = (s.layers - local + mtp) * met(work.seq, work.seq, false, past) +
                           (local > 0 ? local * met(work.seq, s.window, s.chunked, past) : 0);
  const double key = s.head_dim + s.rope_dim;
  const double value = s.kv_lora > 0 ? s.value_dim : s.head_dim;
  return 2 * positions * s.heads * (key + value);
}

Forward count_products(const ModelWork& work, bool causal) {
  const ModelShape& s = work.shape;
  // The scan of a state-space layer as Megatron-LM counts it: 7 FLOPs per value and state.
  const double scans = s.mamba_layers * 7 * s.mamba_inner * s.mamba_state;
  return {2 * (layer_weights(s) + work.mtp * mtp_weights(s)) + scans,
          2 * s.hidden * s.vocab * (1 + work.mtp), attention_flops(work, work.mtp, causal)};
}

// N cannot be divided into layers and head, so recomputation repeats all of it, as in llm-foundry.
Forward count_by_params(const ModelWork& work, bool attention) {
  const ModelShape& s = work.shape;
  // Given parameters are as they are: nobody knows whether further predicted tokens are among them.
  const double mtp = work.params ? 0 : work.mtp;
  const double counted = count_parameters(s).active + mtp * (mtp_weights(s) + s.hidden * s.vocab);
  return {2 * work.params.value_or(counted), 0, attention ? attention_flops(work, mtp, false) : 0};
}

template <class Value, std::size_t N>
std::string_view name_in(const std::array<std::pair<Value, std::string_view>, N>& names, Value of) {
  for (const auto& [value, name] : names)
    if (value == of) return name;
  return {};
}

template <class Value, std::size_t N>
std::optional<Value> value_in(const std::array<std::pair<Value, std::string_view>, N>& names,
                              std::string_view of) {
  for (const auto& [value, name] : names)
    if (name == of) return value;
  return std::nullopt;
}

}  // namespace

std::string_view name_of(Convention convention) {
  return name_in(kConventionNames, convention);
}

std::optional<Convention> find_convention(std::string_view name) {
  return value_in(kConventionNames, name);
}

std::string_view name_of(Recompute recompute) {
  return name_in(kRecomputeNames, recompute);
}

std::optional<Recompute> find_recompute(std::string_view name) {
  return value_in(kRecomputeNames, name);
}

std::string_view missing_for(const ModelWork& work, Convention convention) {
  const ModelShape& s = work.shape;
  const bool products = convention == Convention::kCausal || convention == Convention::kNoncausal;
  const bool feeds = s.ffn > 0 || s.moe_layers > 0;
  if (!products && !work.params && s.layers == 0) return "--params";
  if (convention == Convention::kSixN && work.params) return {};
  if (s.layers == 0) return "--layers";
  if (s.heads == 0) return "--heads";
  if (s.head_dim == 0) return "--hidden";
  if (convention != Convention::kSixN && work.seq <= 0) return "--seq";
  if (!products && work.params) return {};
  if (s.hidden == 0) return "--hidden";
  if (!feeds) return "--ffn";
  return {};
}

Convention usual_convention(const ModelWork& work) {
  for (const Convention convention : {Convention::kCausal, Convention::kPalm})
    if (missing_for(work, convention).empty()) return convention;
  return work.shape.layers > 0 && !work.params ? Convention::kCausal : Convention::kSixN;
}

std::optional<TokenFlops> flops_per_token(const ModelWork& work, Convention convention) {
  if (!missing_for(work, convention).empty()) return std::nullopt;
  const bool products = convention == Convention::kCausal || convention == Convention::kNoncausal;
  const Forward forward = products ? count_products(work, convention == Convention::kCausal)
                                   : count_by_params(work, convention == Convention::kPalm);
  const double once = forward.layers + forward.head + forward.attention;
  if (work.inference) return TokenFlops{once, once};
  if (work.recompute == Recompute::kSelective && convention == Convention::kSixN)
    return TokenFlops{3 * once, std::nullopt};
  double repeated = 0;
  if (work.recompute == Recompute::kSelective) repeated = forward.attention;
  if (work.recompute == Recompute::kFull) repeated = forward.layers + forward.attention;
  return TokenFlops{3 * once, 3 * once + repeated};
}

ParameterCounts count_parameters(const ModelShape& s) {
  ParameterCounts counts;
  const double head = s.hidden * s.vocab;
  counts.products = layer_weights(s) + head;
  const double router = s.moe_layers * s.hidden * s.experts;
  const double norms = (s.layers + s.dense_layers + s.moe_layers + s.mamba_layers + 1) * s.hidden;
  const double beside = (s.tied ? 0 : head) + s.positions * s.hidden + router + norms;
  counts.active = counts.products + beside;
  counts.total = counts.active + s.moe_layers * (s.experts - s.topk) * expert_weights(s);
  return counts;
}

}  // namespace mfushim::knowledge
