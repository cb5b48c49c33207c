// Splits a line of the text form into words and fields.
#include "read/text_line.hpp"

namespace mfushim::read {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

int hex_byte(std::string_view text, std::size_t at) {
  if (at + 2 > text.size()) return -1;
  const int high = hex_digit(text[at]);
  const int low = hex_digit(text[at + 1]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

// `at` stands behind the backslash and moves past the escape.
char read_escape(std::string_view line, std::size_t& at) {
  const char c = at < line.size() ? line[at++] : '\0';
  if (c == '"' || c == '\\') return c;
  if (c == 'n') return '\n';
  const int byte = c == 'x' ? hex_byte(line, at) : -1;
  if (byte < 0) throw TextFault{"unknown escape in a quoted text"};
  at += 2;
  return static_cast<char>(byte);
}

}  // namespace

TextLine::TextLine(std::string_view line) {
  for (std::size_t at = 0;;) {
    while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
    if (at == line.size()) return;
    const std::size_t end = line.find_first_of("= \t\"", at);
    const std::string_view word =
        line.substr(at, end == std::string_view::npos ? std::string_view::npos : end - at);
    at += word.size();
    if (at < line.size() && line[at] == '=') {
      if (word.empty()) throw TextFault{"a field without name"};
      if (find(word)) throw TextFault{"field '" + std::string(word) + "' stands twice"};
      fields_.push_back({word, {}, false, false});
      read_value(line, ++at);
    } else if (word.empty() || !fields_.empty()) {
      throw TextFault{"'=' is missing in '" + std::string(line.substr(at - word.size(), 20)) + "'"};
    } else {
      words_.push_back(word);
    }
  }
}

void TextLine::read_value(std::string_view line, std::size_t& at) {
  TextField& field = fields_.back();
  if (at == line.size() || line[at] != '"') {
    while (at < line.size() && line[at] != ' ' && line[at] != '\t') field.text += line[at++];
    return;
  }
  field.quoted = true;
  for (++at; at < line.size() && line[at] != '"';) {
    const char c = line[at++];
    field.text += c == '\\' ? read_escape(line, at) : c;
  }
  if (at == line.size()) throw TextFault{"a quoted text does not end"};
  ++at;
}

TextField* TextLine::find(std::string_view name) {
  for (TextField& field : fields_)
    if (field.name == name) {
      field.used = true;
      return &field;
    }
  return nullptr;
}

std::vector<std::uint8_t> TextLine::hex(std::string_view name) {
  std::vector<std::uint8_t> bytes;
  const TextField* const field = find(name);
  if (!field) return bytes;
  for (std::size_t at = 0; at < field->text.size(); at += 2) {
    const int byte = hex_byte(field->text, at);
    if (byte < 0) throw TextFault{std::string(name) + " needs pairs of hexadecimal digits"};
    bytes.push_back(static_cast<std::uint8_t>(byte));
  }
  return bytes;
}

void TextLine::finish(std::string_view what) const {
  for (const TextField& field : fields_)
    if (!field.used)
      throw TextFault{std::string(what) + " has no field '" + std::string(field.name) + "'"};
}

}  // namespace mfushim::read
