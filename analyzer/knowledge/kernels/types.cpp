// One table of spellings per fact.
#include "knowledge/kernels/types.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "knowledge/kernels/name.hpp"

namespace mfushim::knowledge {

namespace {

struct Spelling {
  std::string_view word;
  std::string_view type;
  bool anywhere = false;  // means nothing else, even run together with other words
};

// The narrowest first, which is the order in which they are looked for. Names of the project's
// DType where there is one; "fp8", "fp4" and "16bit" where the name leaves the variant open.
constexpr std::array kSpellings = {
    Spelling{"ue4m3xe2m1", "f4e2m1"},
    Spelling{"ue8m0xe2m1", "f4e2m1"},
    Spelling{"e2m1", "f4e2m1", true},
    Spelling{"fp4", "fp4", true},
    Spelling{"e2m3", "f6e2m3", true},
    Spelling{"e3m2", "f6e3m2", true},
    Spelling{"f6", "fp6"},
    Spelling{"ue8m0xe4m3", "f8e4m3"},
    Spelling{"ue8m0xe5m2", "f8e5m2"},
    Spelling{"e4m3", "f8e4m3", true},
    Spelling{"e5m2", "f8e5m2", true},
    Spelling{"f8", "fp8"},
    Spelling{"hfp8", "fp8", true},
    Spelling{"fp8", "fp8", true},
    Spelling{"float8", "fp8", true},
    Spelling{"bfloat16", "bf16", true},
    Spelling{"bf16", "bf16", true},
    Spelling{"fp16", "f16"},
    Spelling{"f16", "f16"},
    Spelling{"float16", "f16", true},
    Spelling{"half", "f16"},
    Spelling{"half2", "f16"},
    Spelling{"tf32", "tf32"},
    Spelling{"fp32", "f32"},
    Spelling{"f32", "f32"},
    Spelling{"float", "f32"},
    Spelling{"cf32", "c32"},
    Spelling{"cf64", "c64"},
    Spelling{"float2", "f32"},
    Spelling{"float4", "f32"},
    Spelling{"float32", "f32"},
    Spelling{"fp64", "f64"},
    Spelling{"f64", "f64"},
    Spelling{"double", "f64"},
    Spelling{"double2", "f64"},
    Spelling{"int8", "i8"},
    Spelling{"s8", "i8"},
    Spelling{"i8", "i8"},
    Spelling{"uint8", "u8"},
    Spelling{"u8", "u8"},
    Spelling{"s32", "i32"},
    Spelling{"i32", "i32"},
    Spelling{"int32", "i32"},
    Spelling{"u32", "u32"},
    Spelling{"uint32", "u32"},
    Spelling{"i64", "i64"},
    Spelling{"int64", "i64"},
    Spelling{"u64", "u64"},
    Spelling{"uint64", "u64"},
};

bool is_alnum(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
}

// An enumerator is written as a cast number, "(vllm::Fp8KVCacheDataType)0": no element has that
// type.
std::string without_enumerators(std::string text) {
  for (std::size_t end = 0; (end = text.find(')', end)) != std::string::npos; ++end) {
    if (end + 1 >= text.size() || text[end + 1] < '0' || text[end + 1] > '9') continue;
    const std::size_t begin = text.rfind('(', end);
    if (begin == std::string::npos) continue;
    text.erase(begin, end - begin + 1);
    end = begin;
  }
  return text;
}

struct CodeName {
  std::string_view word;
  std::uint32_t arch;
};
constexpr std::array kCodeNames = {CodeName{"maxwell", 50}, CodeName{"pascal", 60},
                                   CodeName{"volta", 70},   CodeName{"turing", 75},
                                   CodeName{"ampere", 80},  CodeName{"hopper", 90},
                                   CodeName{"wgmma", 90},   CodeName{"blackwell", 100}};
constexpr std::array kArchs = {50u, 52u, 53u, 60u, 61u,  62u,  70u,  72u,  75u,  80u, 86u,
                               87u, 88u, 89u, 90u, 100u, 101u, 103u, 110u, 120u, 121u};

}  // namespace

std::string_view type_named(std::string_view word) {
  const auto found = std::find_if(kSpellings.begin(), kSpellings.end(),
                                  [&](const auto& s) { return s.word == word; });
  return found == kSpellings.end() ? std::string_view{} : found->type;
}

std::string_view blas_letter_type(char letter) {
  switch (letter) {
    case 's':
      return "f32";
    case 'h':
      return "f16";
    case 'd':
      return "f64";
    case 'c':
      return "c32";
    case 'z':
      return "c64";
    case 'i':
      return "i8";
    default:
      return {};
  }
}

std::vector<std::string_view> types_in_row(std::string_view text) {
  std::vector<std::string_view> types;
  while (!text.empty()) {
    std::size_t length = 0;
    for (const Spelling& s : kSpellings)
      if (s.word.size() > length && text.starts_with(s.word)) length = s.word.size();
    if (length == 0) return {};
    types.push_back(type_named(text.substr(0, length)));
    text.remove_prefix(length);
  }
  return types;
}

std::string_view narrowest_type(std::string_view text, bool complex_pairs) {
  const std::string lower = without_enumerators(lower_case(text));
  std::set<std::string_view> words;
  for (std::size_t begin = 0, end = 0; begin < lower.size(); begin = end + 1) {
    end = begin;
    while (end < lower.size() && is_alnum(lower[end])) ++end;
    words.insert(std::string_view(lower).substr(begin, end - begin));
  }
  const auto found = std::find_if(kSpellings.begin(), kSpellings.end(), [&](const Spelling& s) {
    return words.contains(s.word) || (s.anywhere && lower.find(s.word) != std::string::npos);
  });
  if (found == kSpellings.end()) return {};
  if (complex_pairs && found->type == "f32" && words.contains("float2")) return "c32";
  if (complex_pairs && found->type == "f64" && words.contains("double2")) return "c64";
  return found->type;
}

void read_arch(std::string_view text, KernelFacts& facts) {
  if (facts.arch != 0) return;
  const std::string lower = lower_case(text);
  for (std::size_t at = 0; (at = lower.find("sm", at)) != std::string::npos; ++at) {
    const std::uint32_t number = leading_number(std::string_view(lower).substr(at + 2));
    if (std::find(kArchs.begin(), kArchs.end(), number) != kArchs.end()) {
      facts.arch = number;
      return;
    }
    // "sm12x": any of that generation.
    if (number >= 5 && number <= 12 &&
        lower.substr(at + 2).starts_with(std::to_string(number) + "x")) {
      facts.arch = number * 10;
      facts.arch_or_later = true;
      return;
    }
  }
  for (const CodeName& name : kCodeNames)
    if (lower.find(name.word) != std::string::npos) facts.arch = name.arch;
}

}  // namespace mfushim::knowledge
