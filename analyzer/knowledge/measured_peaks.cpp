// Reads {"schema": "mfushim.peak/1", "results": [{"dtype": "bf16", "flops_per_s": 7.9e14}, ...]}.
#include "knowledge/measured_peaks.hpp"

#include <nlohmann/json.hpp>

#include "knowledge/enum_names.hpp"

namespace mfushim::knowledge {

std::vector<Peak> parse_measured_peaks(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  std::vector<Peak> peaks;
  if (!json.is_object() || json.value("schema", nlohmann::json()) != kMeasuredPeaksSchema)
    return peaks;
  const auto results = json.find("results");
  if (results == json.end() || !results->is_array()) return peaks;
  for (const auto& result : *results) {
    if (!result.is_object()) continue;
    const auto dtype = result.find("dtype");
    const auto rate = result.find("flops_per_s");
    if (dtype == result.end() || !dtype->is_string()) continue;
    if (rate == result.end() || !rate->is_number()) continue;
    const auto type = value_of<format::DType>(dtype->get<std::string>());
    if (type && rate->get<double>() > 0) peaks.push_back({*type, rate->get<double>()});
  }
  return peaks;
}

}  // namespace mfushim::knowledge
