// The same dimension has another key in each family of models, and what is absent has another
// meaning: each function reads one part of the shape, with all spellings.
#include "knowledge/model_config.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace mfushim::knowledge {

namespace {

using Json = nlohmann::json;
using Keys = std::initializer_list<const char*>;

// The first of these keys that holds a number; 0 when none does.
double number(const Json& json, Keys keys) {
  for (const char* key : keys)
    if (const auto found = json.find(key); found != json.end() && found->is_number())
      return found->get<double>();
  return 0;
}

bool flag(const Json& json, const char* key, bool otherwise) {
  const auto found = json.find(key);
  return found != json.end() && found->is_boolean() ? found->get<bool>() : otherwise;
}

std::string text(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

const Json& object(const Json& json, const char* key) {
  static const Json kEmpty = Json::object();
  const auto found = json.find(key);
  return found != json.end() && found->is_object() ? *found : kEmpty;
}

bool is_one_of(std::string_view type, std::initializer_list<std::string_view> types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

double count_in(const Json& json, const char* key, std::string_view value) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_array()) return 0;
  return static_cast<double>(std::count_if(found->begin(), found->end(), [&](const Json& entry) {
    return entry.is_string() && entry == value;
  }));
}

bool is_encoder(std::string_view type) {
  return is_one_of(type, {"bert", "roberta", "xlm-roberta", "distilbert", "electra", "deberta",
                          "deberta-v2", "albert", "modernbert", "vit", "deit", "dinov2"});
}

// Families whose feed-forward has two matrices; of a family that is not known the activation tells.
bool is_gated(const Json& json, std::string_view type) {
  if (is_encoder(type) && type != "modernbert") return false;
  if (is_one_of(type,
                {"gpt2", "gpt_neo", "gpt_neox", "gptj", "gpt_bigcode", "opt", "bloom", "mpt",
                 "falcon", "phi", "starcoder2", "nemotron", "nemotron_h", "codegen", "persimmon"}))
    return false;
  if (type.starts_with("gemma") || is_one_of(type, {"dbrx", "grok-1"})) return true;
  const std::string activation = text(json, "hidden_act");
  return activation.empty() || activation.find("silu") != std::string::npos ||
         activation.find("glu") != std::string::npos;
}

// What the family's class says where the file says nothing: files hold only what differs.
bool is_tied(const Json& json, std::string_view type) {
  const bool usual = is_encoder(type) || type.starts_with("gemma") ||
                     is_one_of(type, {"gpt2", "gpt_neo", "gpt_bigcode", "opt", "bloom", "mpt",
                                      "falcon", "cohere", "cohere2", "starcoder2"});
  return flag(json, "tie_word_embeddings", usual);
}

void read_width(const Json& json, std::string_view type, ModelShape& shape) {
  shape.layers = number(json, {"num_hidden_layers", "n_layer", "n_layers", "num_layers"});
  shape.hidden = number(json, {"hidden_size", "n_embd", "d_model", "dim"});
  shape.ffn = number(json, {"intermediate_size_mlp", "intermediate_size", "ffn_hidden_size",
                            "n_inner", "ffn_dim", "hidden_dim"});
  if (shape.ffn == 0) shape.ffn = number(object(json, "ffn_config"), {"ffn_hidden_size"});
  if (shape.ffn == 0) {
    const double ratio = number(json, {"expansion_ratio"});
    shape.ffn = shape.hidden * (ratio > 0 ? ratio : 4);
  }
  shape.vocab = number(json, {"padded_vocab_size", "vocab_size"});
  shape.gated = is_gated(json, type);
  shape.tied = is_tied(json, type);
  shape.bidirectional = is_encoder(type);
  if (is_encoder(type) || is_one_of(type, {"gpt2", "gpt_neo", "gpt_bigcode", "opt"}))
    shape.positions = number(json, {"n_positions", "max_position_embeddings"});
}

void read_image(const Json& json, ModelShape& shape) {
  const double side = number(json, {"patch_size"});
  if (side == 0 || !shape.bidirectional) return;
  const double channels = number(json, {"num_channels"});
  shape.patch = side * side * (channels > 0 ? channels : 3);
  shape.vocab = 0;
  shape.tied = false;
  shape.positions = std::pow(std::floor(number(json, {"image_size"}) / side), 2) + 1;
}

void read_attention(const Json& json, std::string_view type, ModelShape& shape) {
  shape.heads = number(json, {"num_attention_heads", "n_head", "n_heads", "num_heads"});
  shape.kv_heads = number(json, {"num_key_value_heads", "num_kv_heads", "n_head_kv"});
  if (shape.kv_heads == 0) shape.kv_heads = number(object(json, "attn_config"), {"kv_n_heads"});
  if (flag(json, "multi_query_attention", false))
    shape.kv_heads = number(json, {"multi_query_group_num"});
  const bool old_falcon = type == "falcon" && !flag(json, "new_decoder_architecture", false);
  if (flag(json, "multi_query", type == "gpt_bigcode") && (old_falcon || type == "gpt_bigcode"))
    shape.kv_heads = 1;
  shape.head_dim = number(json, {"head_dim", "attention_head_dim", "kv_channels"});
  shape.kv_lora = number(json, {"kv_lora_rank"});
  if (shape.kv_lora == 0) return;
  shape.q_lora = number(json, {"q_lora_rank"});
  shape.head_dim = number(json, {"qk_nope_head_dim"});
  shape.rope_dim = number(json, {"qk_rope_head_dim"});
  shape.value_dim = number(json, {"v_head_dim"});
}

void read_window(const Json& json, std::string_view type, ModelShape& shape) {
  const double chunk = number(json, {"attention_chunk_size"});
  const bool unused = !flag(json, "use_sliding_window", !type.starts_with("qwen"));
  shape.window = chunk > 0 ? chunk : unused ? 0 : number(json, {"sliding_window"});
  shape.chunked = chunk > 0;
  if (shape.window <= 0) shape.window = 0;  // -1: none
  if (shape.window == 0) return;
  const double pattern = number(json, {"sliding_window_pattern", "no_rope_layer_interval"});
  if (json.contains("layer_types"))
    shape.window_layers =
        count_in(json, "layer_types", chunk > 0 ? "chunked_attention" : "sliding_attention");
  else if (pattern > 0)
    shape.window_layers = shape.layers - std::floor(shape.layers / pattern);
  else if (chunk > 0)
    shape.window_layers = shape.layers - std::floor(shape.layers / 4);
  else if (is_one_of(type, {"gemma2", "gpt_oss"}))
    shape.window_layers = std::ceil(shape.layers / 2);
  else if (is_one_of(type, {"mistral", "mixtral", "phi3", "starcoder2"}))
    shape.window_layers = shape.layers;
}

// How many of the layers have a dense feed-forward in a model with experts.
double dense_layers(const Json& json, const ModelShape& shape) {
  const double first = number(json, {"first_k_dense_replace"});
  const double step =
      number(json, {"decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_freq"});
  double dense = first;
  if (step > 1) dense += shape.layers - first - std::floor((shape.layers - first) / step);
  if (const auto only = json.find("mlp_only_layers"); only != json.end() && only->is_array())
    dense += static_cast<double>(only->size());
  return std::min(dense, shape.layers);
}

void read_experts(const Json& json, std::string_view type, ModelShape& shape) {
  const Json& inner = object(json, "ffn_config");
  shape.experts = std::max(number(json, {"n_routed_experts", "num_local_experts", "num_experts"}),
                           number(inner, {"moe_num_experts"}));
  if (shape.experts <= 1) shape.experts = 0;
  if (shape.experts == 0) return;
  shape.topk = std::max(number(json, {"num_experts_per_tok", "experts_per_token",
                                      "num_experts_per_token", "num_selected_experts"}),
                        number(inner, {"moe_top_k"}));
  const bool llama4 = type.starts_with("llama4");
  shape.moe_ffn = number(json, {"moe_intermediate_size", "intermediate_size"});
  if (llama4) shape.moe_ffn = number(json, {"intermediate_size"});
  if (shape.moe_ffn == 0) shape.moe_ffn = shape.ffn;
  shape.moe_latent = number(json, {"moe_latent_size"});
  shape.shared_ffn = number(json, {"shared_expert_intermediate_size"});
  const double shared = llama4 ? 1 : number(json, {"n_shared_experts"});
  const double width = number(json, {"moe_shared_expert_intermediate_size"});
  if (shape.shared_ffn == 0) shape.shared_ffn = shared * (width > 0 ? width : shape.moe_ffn);
  shape.dense_layers = dense_layers(json, shape);
}

// A string with one letter per layer: M Mamba, * attention, - dense feed-forward, E experts.
void read_pattern(const Json& json, ModelShape& shape) {
  const std::string pattern = text(json, "hybrid_override_pattern");
  const auto letters = [&](char letter) {
    return static_cast<double>(std::count(pattern.begin(), pattern.end(), letter));
  };
  shape.layers = letters('*');
  shape.dense_layers = letters('-');
  shape.moe_layers = letters('E');
  shape.mamba_layers = letters('M');
  shape.mamba_heads = number(json, {"mamba_num_heads"});
  shape.mamba_inner = shape.mamba_heads * number(json, {"mamba_head_dim"});
  shape.mamba_state = number(json, {"ssm_state_size"});
  shape.mamba_groups = number(json, {"n_groups"});
}

// Layers that the formulas do not have: better no number than a wrong one.
std::string unsupported(const Json& json) {
  if (flag(json, "is_encoder_decoder", false)) return "an encoder with a decoder is not supported";
  for (const char* key : {"num_decoder_layers", "decoder_layers", "d_kv"})
    if (json.contains(key)) return "an encoder with a decoder is not supported";
  const std::string family = text(json, "model_type");
  if (family.starts_with("mamba") || family.starts_with("rwkv") ||
      is_one_of(family,
                {"falcon_mamba", "recurrent_gemma", "t5", "mt5", "umt5", "bart", "whisper"}))
    return "models of this kind are not supported: " + family;
  for (const char* key : {"index_topk", "linear_attn_config", "ssm_cfg", "mamba_d_state",
                          "attn_type_list", "state_size", "lru_width", "linear_num_value_heads"})
    if (json.contains(key))
      return "its layers are of a kind that is not supported: " + std::string(key);
  if (const auto types = json.find("layer_types"); types != json.end() && types->is_array())
    for (const Json& type : *types)
      if (!type.is_string() ||
          !is_one_of(type.get<std::string>(),
                     {"full_attention", "sliding_attention", "chunked_attention", "attention"}))
        return "its layers are of a kind that is not supported: " + type.dump();
  return {};
}

std::string impossible(const ModelShape& shape) {
  constexpr double kMost = 1e30;  // beyond, products overflow
  for (const auto& [field, value] : fields_of(shape))
    if (!(value >= 0 && value < kMost)) return "impossible value of " + std::string(field);
  if (shape.topk > shape.experts) return "a token visits more experts than there are";
  if (shape.kv_heads > shape.heads) return "more key-value heads than heads";
  return {};
}

ModelConfig from_own_fields(const Json& json) {
  ModelConfig config;
  for (const auto& [key, value] : json.items()) {
    if (key == "name" && value.is_string()) {
      config.shape.name = value.get<std::string>();
    } else if (value.is_boolean()) {
      if (!set_field(config.shape, key, value.get<bool>() ? 1 : 0))
        config.problem = "unknown field '" + key + "'";
    } else if (!value.is_number() || !set_field(config.shape, key, value.get<double>())) {
      config.problem = "unknown field '" + key + "', or no number in it";
    }
  }
  complete(config.shape, json.contains("dense_layers"), json.contains("moe_layers"));
  if (config.problem.empty()) config.problem = impossible(config.shape);
  return config;
}

ModelConfig from_config(const Json& json) {
  ModelConfig config;
  ModelShape& shape = config.shape;
  const std::string type = text(json, "model_type");
  config.problem = unsupported(json);
  read_width(json, type, shape);
  read_image(json, shape);
  read_attention(json, type, shape);
  read_window(json, type, shape);
  read_experts(json, type, shape);
  shape.mtp = number(json, {"num_nextn_predict_layers"});
  const bool pattern = json.contains("hybrid_override_pattern");
  if (pattern) read_pattern(json, shape);
  complete(shape, shape.experts > 0 || pattern, pattern);
  if (shape.layers == 0 || shape.hidden == 0 || shape.heads == 0)
    config.problem = "no number of layers, hidden size and heads in it";
  if (config.problem.empty()) config.problem = impossible(shape);
  return config;
}

}  // namespace

ModelConfig parse_model_config(std::string_view json_text) {
  const Json json = Json::parse(json_text, nullptr, false);
  if (!json.is_object()) return {{}, "not a JSON object"};
  if (json.contains("layers") && json.contains("hidden")) return from_own_fields(json);
  // Models of text and images hold the text's part apart; the images' is small and not counted.
  for (const char* part : {"text_config", "llm_config", "language_config"})
    if (json.contains(part)) return from_config(object(json, part));
  ModelConfig config = from_config(json);
  const std::string path = text(json, "_name_or_path");
  config.shape.name = path.substr(path.rfind('/') + 1);
  return config;
}

}  // namespace mfushim::knowledge
