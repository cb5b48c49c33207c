// Tells files from names, and misspelt names from unknown ones.
#include "commands/model_options.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "commands/command.hpp"
#include "knowledge/model_config.hpp"
#include "read/format_error.hpp"

namespace mfushim::commands {

namespace {

namespace fs = std::filesystem;

std::string suggestion_for(const std::string& name) {
  std::vector<std::string> keys;
  std::vector<std::string> names;
  for (const knowledge::KnownModel& model : knowledge::all_models()) {
    keys.push_back(knowledge::model_key(model.shape.name));
    names.push_back(model.shape.name);
  }
  const std::string near = nearest(knowledge::model_key(name), keys);
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (!near.empty() && keys[i] == near) return fmt::format("; did you mean '{}'?", names[i]);
  return "; give a config.json, or the dimensions";
}

}  // namespace

knowledge::ModelShape load_model(const std::string& file_or_name) {
  std::error_code ignored;
  fs::path path = file_or_name;
  if (fs::is_directory(path, ignored)) path /= "config.json";
  if (!fs::exists(path, ignored)) {
    if (path.extension() == ".json") throw read::FormatError::in_file(path.string(), "not found");
    if (const knowledge::KnownModel* model = knowledge::find_model(file_or_name))
      return model->shape;
    throw UsageError(
        fmt::format("unknown model '{}'{}", file_or_name, suggestion_for(file_or_name)));
  }
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw read::FormatError::in_file(path.string(), "cannot be read");
  auto model = knowledge::parse_model_config(text.str());
  if (!model.problem.empty()) throw read::FormatError::in_file(path.string(), model.problem);
  if (model.shape.name.empty()) model.shape.name = fs::absolute(path).parent_path().filename();
  return model.shape;
}

}  // namespace mfushim::commands
