// Parses numbers and lists in data files.
#include "knowledge/text.hpp"

#include <charconv>

namespace mfushim::knowledge {

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{} || result.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> number_in(const CsvRow& row, std::string_view column) {
  const auto cell = row.find(column);
  return cell == row.end() ? std::nullopt : parse_number(cell->second);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return parts;
}

}  // namespace mfushim::knowledge
