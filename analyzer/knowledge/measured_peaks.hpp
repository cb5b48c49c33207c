// The file that `mfushim peak` writes: what products reached on a GPU, by type.
#pragma once

#include <string_view>
#include <vector>

#include "knowledge/gpus.hpp"

namespace mfushim::knowledge {

inline constexpr std::string_view kMeasuredPeaksSchema = "mfushim.peak/1";

// Empty when the text is no such file.
std::vector<Peak> parse_measured_peaks(std::string_view json);

}  // namespace mfushim::knowledge
