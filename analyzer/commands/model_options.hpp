// What `calc` and `report` ask about a model: its name or file, or its number of parameters.
#pragma once

#include <string>

#include "knowledge/models.hpp"

namespace mfushim::commands {

// A config.json, the folder it is in, or the name of a known model. Throws UsageError for an
// unknown name, with a suggestion, and FormatError for a file that describes no model.
knowledge::ModelShape load_model(const std::string& file_or_name);

}  // namespace mfushim::commands
