// One line of the text form: a first word or none, then name=value pairs.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace mfushim::read {

// The reason why a line is wrong; assemble() adds file and line.
struct TextFault {
  std::string what;
};

struct TextField {
  std::string_view name;
  std::string text;     // what stands after '=', quotes and escapes resolved
  bool quoted = false;  // it stood in quotes
  bool used = false;
};

class TextLine {
 public:
  // `line` outlives the object. Words without '=' may only come first.
  explicit TextLine(std::string_view line);

  const std::vector<std::string_view>& words() const { return words_; }

  // The field of that name, or null. Fields that nobody asked for are a fault: see finish().
  TextField* find(std::string_view name);

  template <class Integer>
  Integer integer(std::string_view name, Integer missing) {
    TextField* const field = find(name);
    return field ? to_integer<Integer>(*field) : missing;
  }

  std::vector<std::uint8_t> hex(std::string_view name);

  // Throws when a field was never asked for.
  void finish(std::string_view what) const;

  template <class Integer>
  static Integer to_integer(const TextField& field) {
    Integer value{};
    const std::string& text = field.text;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range)
      throw TextFault{"'" + text + "' is too large for " + std::string(field.name)};
    if (field.quoted || text.empty() || error != std::errc{} || end != text.data() + text.size())
      throw TextFault{std::string(field.name) + " needs a whole number, not '" + text + "'"};
    return value;
  }

 private:
  void read_value(std::string_view line, std::size_t& at);

  std::vector<std::string_view> words_;
  std::vector<TextField> fields_;
};

}  // namespace mfushim::read
