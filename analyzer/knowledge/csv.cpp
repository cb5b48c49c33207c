// CSV as RFC 4180 has it, one row a line.
#include "knowledge/csv.hpp"

namespace mfushim::knowledge {

namespace {

std::vector<std::string> split_row(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

}  // namespace

std::vector<CsvRow> parse_csv(std::string_view text) {
  std::vector<CsvRow> rows;
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> cells = split_row(line);
    if (names.empty()) {
      names = std::move(cells);
      continue;
    }
    CsvRow& row = rows.emplace_back();
    for (std::size_t i = 0; i < cells.size() && i < names.size(); ++i)
      row[names[i]] = std::move(cells[i]);
  }
  return rows;
}

}  // namespace mfushim::knowledge
