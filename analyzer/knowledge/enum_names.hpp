// The words for the log's enumerations, as the text form, the reports and the JSON print them.
#pragma once

#include <optional>
#include <string_view>

#include "mfushim/format/enums.hpp"

namespace mfushim::knowledge {

// Empty for values that this version does not know.
std::string_view name_of(format::DType v);
std::string_view name_of(format::CopyKind v);
std::string_view name_of(format::CollectiveOp v);
std::string_view name_of(format::Reduction v);
std::string_view name_of(format::ProductKind v);
std::string_view name_of(format::OperationKind v);
std::string_view name_of(format::Transpose v);
std::string_view name_of(format::GpuTimeSource v);
std::string_view name_of(format::LossCause v);

// The value that prints as `name`.
template <class Enum>
std::optional<Enum> value_of(std::string_view name) {
  for (unsigned v = 0;; ++v) {
    const std::string_view candidate = name_of(static_cast<Enum>(v));
    if (candidate.empty()) return std::nullopt;
    if (candidate == name) return static_cast<Enum>(v);
  }
}

}  // namespace mfushim::knowledge
