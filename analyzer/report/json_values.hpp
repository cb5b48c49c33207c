// How values become JSON: what is not known is absent, integers stay exact as long as they can.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>

#include "passes/flops.hpp"

namespace mfushim::report {

using Json = nlohmann::ordered_json;

template <class Value>
void put(Json& json, const char* key, const std::optional<Value>& value) {
  if (value) json[key] = *value;
}

inline Json flops_json(passes::Flops flops) {
  if (flops <= ~std::uint64_t{0}) return static_cast<std::uint64_t>(flops);
  return static_cast<double>(flops);
}

inline double ratio(double part, double whole) {
  return part / whole;
}

}  // namespace mfushim::report
