// What `calc` and `report` ask about a model, and `report` about peaks.
#pragma once

#include <string>

#include "knowledge/models.hpp"
#include "model/run.hpp"
#include "passes/model_mfu.hpp"

namespace CLI {
class App;
}

namespace mfushim::commands {

// A config.json, the folder it is in, or the name of a known model. Throws UsageError for an
// unknown name, with a suggestion, and FormatError for a file that describes no model.
knowledge::ModelShape load_model(const std::string& file_or_name);

// A job's facts as `report` is told them; what is empty may be in the log.
struct ModelFlags {
  std::string model;
  std::string params;
  std::string seq;
  std::string tokens_per_step;
  std::string mtp;

  void add_to(CLI::App& app);
};

// From the flags, else from the log. Wrong flags throw as above; what is wrong in a log is a
// problem that the facts name, and no error.
passes::ModelFacts find_model_facts(const ModelFlags& flags, const model::Run& run);

// auto, datasheet, measured:FILE or TFLOP/s.
void parse_peak(const std::string& text, passes::EfficiencyOptions& options);

}  // namespace mfushim::commands
