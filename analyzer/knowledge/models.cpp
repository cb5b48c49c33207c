// Turns the rows of models.csv into shapes, and names as people write them into rows.
#include "knowledge/models.hpp"

#include <array>
#include <cctype>

#include "knowledge/csv.hpp"
#include "knowledge/data_files.hpp"
#include "knowledge/text.hpp"

namespace mfushim::knowledge {

namespace {

struct NumberField {
  std::string_view name;
  double ModelShape::*member;
};

struct FlagField {
  std::string_view name;
  bool ModelShape::*member;
};

constexpr NumberField kNumberFields[] = {
    {"layers", &ModelShape::layers},
    {"hidden", &ModelShape::hidden},
    {"ffn", &ModelShape::ffn},
    {"heads", &ModelShape::heads},
    {"kv_heads", &ModelShape::kv_heads},
    {"head_dim", &ModelShape::head_dim},
    {"vocab", &ModelShape::vocab},
    {"positions", &ModelShape::positions},
    {"patch", &ModelShape::patch},
    {"dense_layers", &ModelShape::dense_layers},
    {"moe_layers", &ModelShape::moe_layers},
    {"experts", &ModelShape::experts},
    {"topk", &ModelShape::topk},
    {"moe_ffn", &ModelShape::moe_ffn},
    {"shared_ffn", &ModelShape::shared_ffn},
    {"moe_latent", &ModelShape::moe_latent},
    {"q_lora", &ModelShape::q_lora},
    {"kv_lora", &ModelShape::kv_lora},
    {"rope_dim", &ModelShape::rope_dim},
    {"value_dim", &ModelShape::value_dim},
    {"window", &ModelShape::window},
    {"window_layers", &ModelShape::window_layers},
    {"mamba_layers", &ModelShape::mamba_layers},
    {"mamba_inner", &ModelShape::mamba_inner},
    {"mamba_state", &ModelShape::mamba_state},
    {"mamba_groups", &ModelShape::mamba_groups},
    {"mamba_heads", &ModelShape::mamba_heads},
    {"mtp", &ModelShape::mtp},
};

constexpr FlagField kFlagFields[] = {
    {"gated", &ModelShape::gated},
    {"tied", &ModelShape::tied},
    {"bidirectional", &ModelShape::bidirectional},
    {"chunked", &ModelShape::chunked},
};

// Behind a name, these say how it was tuned or stored, not how large it is. As keys.
constexpr std::array<std::string_view, 8> kVariants = {"instruct", "chat", "base", "hf",
                                                       "it",       "fp8",  "bf16", "pretrain"};

std::string_view without_variant(std::string_view key) {
  for (const std::string_view variant : kVariants)
    if (key.size() > variant.size() && key.ends_with(variant))
      return key.substr(0, key.size() - variant.size());
  return key;
}

KnownModel make_model(const CsvRow& row) {
  KnownModel model;
  ModelShape& shape = model.shape;
  shape.name = row.at("model");
  model.aliases = split(row.at("aliases"), '|');
  model.params = number_in(row, "params_b").value_or(0) * 1e9;
  model.source = row.at("source");
  for (const NumberField& field : kNumberFields)
    if (const auto value = number_in(row, field.name)) shape.*field.member = *value;
  bool dense_layers_known = false;
  bool moe_layers_known = false;
  for (const std::string& entry : split(row.at("more"), ' ')) {
    const std::size_t equals = entry.find('=');
    const std::string name = entry.substr(0, equals);
    set_field(shape, name,
              equals == std::string::npos ? 1 : parse_number(entry.substr(equals + 1)).value_or(0));
    dense_layers_known |= name == "dense_layers";
    moe_layers_known |= name == "moe_layers";
  }
  complete(shape, dense_layers_known, moe_layers_known);
  return model;
}

std::string without_dots(std::string key) {
  std::erase(key, '.');
  return key;
}

// Exactly; else as llama3_1_8b, whose numbers lost their dots.
const KnownModel* find_key(std::string_view key) {
  const KnownModel* near = nullptr;
  const auto is_exact = [&](const KnownModel& model, const std::string& name) {
    const std::string known = model_key(name);
    if (!near && without_dots(known) == key) near = &model;
    return known == key;
  };
  for (const KnownModel& model : all_models()) {
    if (is_exact(model, model.shape.name)) return &model;
    for (const std::string& alias : model.aliases)
      if (is_exact(model, alias)) return &model;
  }
  return near;
}

}  // namespace

std::vector<std::pair<std::string_view, double>> fields_of(const ModelShape& shape) {
  std::vector<std::pair<std::string_view, double>> fields;
  for (const NumberField& field : kNumberFields)
    if (shape.*field.member != 0) fields.emplace_back(field.name, shape.*field.member);
  for (const FlagField& field : kFlagFields)
    if (shape.*field.member) fields.emplace_back(field.name, 1);
  return fields;
}

bool set_field(ModelShape& shape, std::string_view name, double value) {
  for (const NumberField& field : kNumberFields)
    if (field.name == name) {
      shape.*field.member = value;
      return true;
    }
  for (const FlagField& field : kFlagFields)
    if (field.name == name) {
      shape.*field.member = value != 0;
      return true;
    }
  return false;
}

void complete(ModelShape& shape, bool dense_layers_known, bool moe_layers_known) {
  if (shape.kv_heads == 0) shape.kv_heads = shape.heads;
  if (shape.head_dim == 0 && shape.heads > 0) shape.head_dim = shape.hidden / shape.heads;
  if (shape.experts > 0 && shape.moe_ffn == 0) shape.moe_ffn = shape.ffn;
  if (!dense_layers_known) shape.dense_layers = shape.experts > 0 ? 0 : shape.layers;
  if (!moe_layers_known)
    shape.moe_layers = shape.experts > 0 ? shape.layers - shape.dense_layers : 0;
}

const std::vector<KnownModel>& all_models() {
  static const std::vector<KnownModel> models = [] {
    std::vector<KnownModel> made;
    for (const CsvRow& row : parse_csv(kModelsCsv)) made.push_back(make_model(row));
    return made;
  }();
  return models;
}

std::string model_key(std::string_view name) {
  std::string key;
  const auto is_digit = [&](std::size_t i) {
    return i < name.size() && std::isdigit(static_cast<unsigned char>(name[i])) != 0;
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    if (std::isalnum(c) != 0) key += static_cast<char>(std::tolower(c));
    if (c == '.' && i > 0 && is_digit(i - 1) && is_digit(i + 1)) key += '.';
  }
  return key;
}

const KnownModel* find_model(std::string_view name) {
  if (const KnownModel* exact = find_key(model_key(name))) return exact;
  const std::string full = model_key(name.substr(name.rfind('/') + 1));
  std::string_view key = full;
  if (key.starts_with("metallama")) key.remove_prefix(4);
  if (const KnownModel* model = find_key(key)) return model;
  for (std::string_view shorter = without_variant(key); shorter != key;
       shorter = without_variant(key)) {
    key = shorter;
    if (const KnownModel* model = find_key(key)) return model;
  }
  return nullptr;
}

}  // namespace mfushim::knowledge
