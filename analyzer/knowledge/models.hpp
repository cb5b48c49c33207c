// What a model's matrix products are made of: its dimensions, from models.csv, a config.json, or a
// command line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mfushim::knowledge {

// Counts as doubles, which hold them exactly and are what formulas need; 0 is "has none".
struct ModelShape {
  std::string name;

  double layers = 0;  // with attention
  double hidden = 0;
  double ffn = 0;  // width of a dense feed-forward
  double heads = 0;
  double kv_heads = 0;
  double head_dim = 0;  // of queries and keys; with latent attention the part without position
  double vocab = 0;
  bool gated = false;          // feed-forwards have three matrices, not two
  bool tied = false;           // the output matrix is the embedding's
  bool bidirectional = false;  // no position is masked: attention has no causal half
  double positions = 0;        // learned ones
  double patch = 0;            // values of an image's patch, where tokens are patches

  // Mixture of experts. Layers that are neither dense nor of experts have no feed-forward.
  double dense_layers = 0;
  double moe_layers = 0;
  double experts = 0;
  double topk = 0;
  double moe_ffn = 0;
  double shared_ffn = 0;  // all experts together that every token visits
  double moe_latent = 0;  // width that experts work in, where tokens are projected to one of theirs

  // Latent attention (MLA): ranks of the compressed queries (0: not compressed) and keys.
  double q_lora = 0;
  double kv_lora = 0;
  double rope_dim = 0;   // what a head's query and key have beside head_dim, for position
  double value_dim = 0;  // of a head

  // Layers whose positions see only `window` others: the nearest, or those of their own chunk.
  double window = 0;
  double window_layers = 0;
  bool chunked = false;

  // State-space layers (Mamba 2), which are not among `layers`.
  double mamba_layers = 0;
  double mamba_inner = 0;
  double mamba_state = 0;
  double mamba_groups = 0;
  double mamba_heads = 0;

  double mtp = 0;  // layers that predict further tokens, as published
};

struct KnownModel {
  ModelShape shape;
  std::vector<std::string> aliases;
  double params = 0;  // as its publisher counts
  std::string source;
};

const std::vector<KnownModel>& all_models();

// By its name or an alias, whatever the case and punctuation; an owner before '/' and what only
// names a variant of the same size (-Instruct, -hf, ...) are ignored. Null when unknown.
const KnownModel* find_model(std::string_view name);

// Lower-case letters and digits of a name, with the dots of numbers: as models are looked up by.
std::string model_key(std::string_view name);

// The fields that are not 0, by name.
std::vector<std::pair<std::string_view, double>> fields_of(const ModelShape& shape);

// Sets a field by its name. False when there is none of this name.
bool set_field(ModelShape& shape, std::string_view name, double value);

// Fills what follows from the rest: key-value heads and head_dim where 0, and how many layers are
// dense or of experts where `dense_layers_known` or `moe_layers_known` do not say it.
void complete(ModelShape& shape, bool dense_layers_known, bool moe_layers_known);

}  // namespace mfushim::knowledge
