// Reads a model's dimensions from the config.json that Hugging Face's model folders have, or from a
// JSON object of our own field names (docs/mfu.md).
#pragma once

#include <string>
#include <string_view>

#include "knowledge/models.hpp"

namespace mfushim::knowledge {

struct ModelConfig {
  ModelShape shape;
  std::string problem;  // why there is no shape; empty when there is one
};

ModelConfig parse_model_config(std::string_view json);

}  // namespace mfushim::knowledge
