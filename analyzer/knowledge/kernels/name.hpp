// A kernel's name taken apart: what rules and grammars look at.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mfushim::knowledge {

// NameWords of a text, run together in lower case: "FusedAddRMSNorm_kernel" and
// "fused_add_rms_norm_kernel" are the same. NameWords end at case changes, digits, and everything
// that is neither letter nor digit.
class NameWords {
 public:
  explicit NameWords(std::string_view text);

  // Whether `pattern` (lower-case letters and digits) stands there as whole words; "*" stands for
  // anything, so at an end it lets the pattern begin or end within a word; "^" asks for the
  // beginning of the text.
  bool has(std::string_view pattern) const;

 private:
  bool crosses_words(std::size_t begin, std::size_t end) const;
  std::size_t find_piece(std::string_view piece, std::size_t from, bool ends_word) const;

  std::string text_;
  std::vector<bool> begins_;  // a word begins here; one more for the end
};

struct KernelNameParts {
  explicit KernelNameParts(std::string_view demangled);
  KernelNameParts(const KernelNameParts&) = delete;  // parts point into the text

  std::string text;       // the whole, without what CUPTI and Nsight Systems write differently
  std::string scope;      // namespaces and classes, without template arguments
  std::string_view base;  // the function's own name
  std::string_view template_arguments;
  std::string_view parameters;

  NameWords scope_words;
  NameWords base_words;
  NameWords template_words;
  NameWords parameter_words;

 private:
  void read_path(std::string_view head);
};

// "a, b<c, d>, e" at its outer commas.
std::vector<std::string_view> split_arguments(std::string_view list);

// The argument list of the first `name<...>` in `text`; empty when there is none.
std::string_view arguments_of(std::string_view text, std::string_view name);

// "cute::tuple<cute::C<128>, cute::C<64> >" as numbers; empty when it is anything else.
std::vector<std::uint32_t> cute_sizes(std::string_view tuple);

std::vector<std::string_view> split_at(std::string_view text, char separator);

// The number at the beginning of `text`, which may be written "(int)4" or "4ul"; 0 when none.
std::uint32_t leading_number(std::string_view text);

// "128x64" or "128x64x32" as numbers; absent parts are 0. False when `text` is something else.
bool read_sizes(std::string_view text, std::uint32_t (&sizes)[3]);

// "nt", "TNN": how each operand of a product lies.
bool is_layout(std::string_view word);

std::string lower_case(std::string_view text);

}  // namespace mfushim::knowledge
