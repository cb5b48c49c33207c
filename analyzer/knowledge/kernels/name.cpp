// Takes demangled names apart, whole or cut off, as CUPTI, Nsight Systems and sources write them.
#include "knowledge/kernels/name.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <memory>

#include "knowledge/kernels/kernel.hpp"

namespace mfushim::knowledge {

namespace {

bool is_decimal(char c) {
  return c >= '0' && c <= '9';
}
bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_name(char c) {
  return is_decimal(c) || is_upper(c) || is_lower(c) || c == '_';
}

// The identifiers and numbers of a name that the demangler does not understand, such as nvcc's for
// classes of CUTLASS 3: which stands in which is kept, where each ends is not.
std::string skeleton(std::string_view mangled) {
  if (!mangled.starts_with("_Z")) return std::string(mangled);
  std::string result;
  bool after_identifier = false;
  for (std::size_t i = 2; i < mangled.size();) {
    if (is_decimal(mangled[i]) && mangled[i] != '0') {
      const std::uint32_t length = leading_number(mangled.substr(i));
      while (i < mangled.size() && is_decimal(mangled[i])) ++i;
      const bool literal = i < mangled.size() && mangled[i] == 'E';
      if (!result.empty() && !result.ends_with('<')) result += after_identifier ? "::" : ", ";
      result += literal ? std::to_string(length) : std::string(mangled.substr(i, length));
      i += literal ? 1 : length;
      after_identifier = !literal;
      continue;
    }
    if (mangled[i] == 'I' && after_identifier) result += '<';
    after_identifier = false;
    ++i;
  }
  return result;
}

// Nsight Systems writes "(int)4" and "<unnamed>" where CUPTI writes "4" and an anonymous namespace;
// neither says what the kernel does, and both have brackets that mean nothing.
std::string plain(std::string_view text) {
  static constexpr std::string_view kNoise[] = {
      "(anonymous namespace)::", "<unnamed>::", "(int)",  "(bool)", "(unsigned int)",
      "(unsigned long)",         "(long)",      "(char)", "(short)"};
  std::string result(text);
  for (const std::string_view noise : kNoise)
    for (std::size_t at; (at = result.find(noise)) != std::string::npos;)
      result.erase(at, noise.size());
  return result;
}

// Follows brackets; the ">" of "->" is none.
struct Depth {
  int angle = 0;
  int round = 0;
  int curly = 0;

  void follow(std::string_view text, std::size_t at) {
    const char c = text[at];
    if (c == '(') ++round;
    if (c == ')') --round;
    if (c == '{') ++curly;
    if (c == '}') --curly;
    if (round > 0 || curly > 0) return;
    if (c == '<') ++angle;
    if (c == '>' && (at == 0 || text[at - 1] != '-')) --angle;
  }
  bool outside() const { return angle <= 0 && round <= 0 && curly <= 0; }
};

// Where the parameters begin: the first outer "(".
std::size_t parameters_at(std::string_view text) {
  Depth depth;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' && depth.outside() && i > 0 && !text.substr(0, i).ends_with("operator"))
      return i;
    depth.follow(text, i);
  }
  return text.size();
}

// What stands before the function's name: its result type.
std::size_t name_at(std::string_view head) {
  Depth depth;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < head.size(); ++i) {
    if (head[i] == ' ' && depth.outside()) begin = i + 1;
    depth.follow(head, i);
  }
  return begin;
}

// Copies and memory sets stand beside kernels in traces, under names that are sentences.
bool is_transfer(std::string_view text) {
  return text.starts_with("Memcpy") || text.starts_with("Memset") || text.starts_with("[CUDA");
}

// Kernels that only run the class that their template argument names.
bool is_wrapper(std::string_view base) {
  return base == "device_kernel" || base == "Kernel" || base == "Kernel2" || base == "kentry" ||
         base.starts_with("enable_sm");
}

// The first template argument that is a class; "<" before it and what follows are left out.
std::string_view first_class(std::string_view template_arguments) {
  if (template_arguments.empty()) return {};
  template_arguments.remove_prefix(1);
  if (template_arguments.ends_with('>')) template_arguments.remove_suffix(1);
  for (const std::string_view argument : split_arguments(template_arguments))
    if (!argument.empty() && (is_upper(argument[0]) || is_lower(argument[0])) &&
        argument != "true" && argument != "false")
      return argument;
  return {};
}

std::string without_templates(std::string_view path) {
  std::string result;
  Depth depth;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const bool before = depth.outside();
    depth.follow(path, i);
    if (before && depth.outside()) result += path[i];
  }
  return result;
}

}  // namespace

NameWords::NameWords(std::string_view text) {
  bool open = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!is_name(c) || c == '_') {
      open = false;
      continue;
    }
    const char last = i > 0 ? text[i - 1] : '\0';
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    const bool turns = is_decimal(c) != is_decimal(last) || (is_upper(c) && is_lower(last)) ||
                       (is_upper(c) && is_upper(last) && is_lower(next));
    begins_.push_back(!open || turns);
    text_ += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    open = true;
  }
  begins_.push_back(true);
}

bool NameWords::has(std::string_view pattern) const {
  const bool first = pattern.starts_with('^');
  if (first) pattern.remove_prefix(1);
  const bool free_begin = pattern.starts_with('*');
  const bool free_end = pattern.ends_with('*');
  const auto pieces = split_at(pattern, '*');
  if (pieces.empty()) return false;
  for (std::size_t at = 0; (at = text_.find(pieces[0], at)) != std::string::npos; ++at) {
    if (first && at != 0) return false;
    std::size_t end = at + pieces[0].size();
    // What begins within a word ends in it: "tensor_tensor" is no "sort".
    if (!begins_[at] && (!free_begin || crosses_words(at, end))) continue;
    std::size_t piece = 1;
    for (; piece < pieces.size(); ++piece) {
      const bool last = piece + 1 == pieces.size();
      const std::size_t next = find_piece(pieces[piece], end, last && !free_end);
      if (next == std::string::npos) break;
      end = next + pieces[piece].size();
    }
    if (piece == pieces.size() && (free_end || begins_[end])) return true;
  }
  return false;
}

bool NameWords::crosses_words(std::size_t begin, std::size_t end) const {
  for (std::size_t i = begin + 1; i < end; ++i)
    if (begins_[i]) return true;
  return false;
}

std::size_t NameWords::find_piece(std::string_view piece, std::size_t from, bool ends_word) const {
  std::size_t at = text_.find(piece, from);
  while (ends_word && at != std::string::npos && !begins_[at + piece.size()])
    at = text_.find(piece, at + 1);
  return at;
}

KernelNameParts::KernelNameParts(std::string_view demangled)
    : text(plain(skeleton(demangled))),
      scope_words(""),
      base_words(""),
      template_words(""),
      parameter_words("") {
  const std::string_view all = text;
  if (is_transfer(all)) {
    base = all;
    base_words = NameWords(base);
    return;
  }
  const std::size_t end = parameters_at(all);
  parameters = all.substr(end);
  read_path(all.substr(0, end));
  while (is_wrapper(base)) {
    const std::string_view inner = first_class(template_arguments);
    if (inner.empty()) break;
    read_path(inner);
  }
  scope_words = NameWords(scope);
  base_words = NameWords(base);
  template_words = NameWords(template_arguments);
  parameter_words = NameWords(parameters);
}

void KernelNameParts::read_path(std::string_view head) {
  while (head.ends_with(' ')) head.remove_suffix(1);
  head.remove_prefix(name_at(head));
  Depth depth;
  std::size_t base_begin = 0;
  std::size_t base_end = head.size();
  for (std::size_t i = 0; i < head.size(); ++i) {
    if (depth.outside() && head.substr(i).starts_with("::")) {
      base_begin = i + 2;
      base_end = head.size();
    }
    if (depth.outside() && head[i] == '<') base_end = i;
    depth.follow(head, i);
  }
  base = head.substr(base_begin, base_end - std::min(base_begin, base_end));
  template_arguments = head.substr(base_end);
  scope = without_templates(head.substr(0, base_begin));
}

std::vector<std::string_view> split_arguments(std::string_view list) {
  std::vector<std::string_view> parts;
  Depth depth;
  std::size_t begin = 0;
  const auto add = [&](std::size_t end) {
    std::string_view part = list.substr(begin, end - begin);
    while (part.starts_with(' ')) part.remove_prefix(1);
    parts.push_back(part);
    begin = end + 1;
  };
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == ',' && depth.outside()) add(i);
    depth.follow(list, i);
  }
  if (!list.empty()) add(list.size());
  return parts;
}

std::string_view arguments_of(std::string_view text, std::string_view name) {
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string_view::npos; ++at) {
    const std::size_t open = at + name.size();
    if (open >= text.size() || text[open] != '<') continue;
    if (at > 0 && is_name(text[at - 1])) continue;
    Depth depth;
    std::size_t end = open;
    do depth.follow(text, end++);
    while (end < text.size() && !depth.outside());
    return text.substr(open + 1, end - open - (depth.outside() ? 2 : 1));
  }
  return {};
}

std::vector<std::uint32_t> cute_sizes(std::string_view tuple) {
  std::vector<std::uint32_t> sizes;
  for (const std::string_view part : split_arguments(arguments_of(tuple, "tuple"))) {
    const std::size_t open = part.find('<');
    const auto inner = split_arguments(part.substr(open + 1));
    if (open == std::string_view::npos || inner.empty()) return {};
    sizes.push_back(leading_number(inner.back()));  // C<128>, constant<int, 128>
  }
  return sizes;
}

std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::uint32_t leading_number(std::string_view text) {
  std::uint32_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool read_sizes(std::string_view text, std::uint32_t (&sizes)[3]) {
  std::uint32_t read[3] = {0, 0, 0};
  const auto parts = split_at(text, 'x');
  if (parts.size() < 2 || parts.size() > 3) return false;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const char* const last = parts[i].data() + parts[i].size();
    const auto [end, error] = std::from_chars(parts[i].data(), last, read[i]);
    if (error != std::errc{} || end != last) return false;
  }
  std::copy(std::begin(read), std::end(read), std::begin(sizes));
  return true;
}

bool is_layout(std::string_view word) {
  return (word.size() == 2 || word.size() == 3) &&
         word.find_first_not_of("NTCntc") == std::string_view::npos;
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (is_upper(c)) c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::string demangle(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) : name;
}

}  // namespace mfushim::knowledge
