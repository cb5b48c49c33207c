// Small pieces of text that data files and names are made of.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/csv.hpp"

namespace mfushim::knowledge {

// The whole text as a number; absent when it is none.
std::optional<double> parse_number(std::string_view text);

// Likewise the cell of a row; absent when the cell is empty or missing.
std::optional<double> number_in(const CsvRow& row, std::string_view column);

// The parts between separators; none for an empty text.
std::vector<std::string> split(std::string_view text, char separator);

}  // namespace mfushim::knowledge
