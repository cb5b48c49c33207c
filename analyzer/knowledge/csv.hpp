// Reads the project's own data files: comma-separated with quotes, '#' lines as comments, and the
// names of the columns in the first row.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mfushim::knowledge {

using CsvRow = std::map<std::string, std::string, std::less<>>;

std::vector<CsvRow> parse_csv(std::string_view text);

}  // namespace mfushim::knowledge
