// Tensile, which writes the products of rocBLAS and hipBLASLt:
// [Custom_]C{indices}[_A{indices}_B{indices}]_{types}[B][_B..]_..._MT{m}x{n}x{k}_..._MI{...}_...
// A, B and C carry their indices, the first one contiguous: l is the sum's. Facts: ROCm/Tensile's
// wiki on kernel parameters and the names of its problem types.
#include <array>
#include <cctype>

#include "knowledge/kernels/grammar.hpp"
#include "knowledge/kernels/types.hpp"

namespace mfushim::knowledge {

namespace {

struct TensileType {
  std::string_view letters;
  std::string_view type;
};
// The longer first: I8 and I are two types. Of inputs of two types the first stands for both.
constexpr TensileType kTensileTypes[] = {
    {"4xi8", "i8"},   {"F8B8", "f8e4m3"}, {"B8F8", "f8e5m2"}, {"F8N", "f8e4m3"}, {"B8N", "f8e5m2"},
    {"F8", "f8e4m3"}, {"B8", "f8e5m2"},   {"I8", "i8"},       {"I", "i32"},      {"H", "f16"},
    {"B", "bf16"},    {"S", "f32"},       {"D", "f64"},       {"C", "c32"},      {"Z", "c64"}};

std::string_view take_tensile_type(std::string_view& word) {
  for (const auto& [letters, type] : kTensileTypes)
    if (word.starts_with(letters)) {
      word.remove_prefix(letters.size());
      return type;
    }
  return {};
}

// "HHS": inputs, output, sum; "SB", "S": all the same, and B that C is added to the product.
bool read_tensile_types(std::string_view word, KernelFacts& facts) {
  const std::string_view whole = word;
  std::array<std::string_view, 3> types;
  for (std::string_view& type : types) type = take_tensile_type(word);
  if (types[0].empty() || !word.empty()) return false;
  const bool alone = types[1].empty() || (types[2].empty() && whole.ends_with('B'));
  if (!alone && types[2].empty()) return false;
  facts.dtype = types[0];
  facts.output = alone ? types[0] : types[1];
  facts.accumulate = alone ? types[0] : types[2];
  return true;
}

// "Ailk": an operand and its indices.
bool is_operand(std::string_view word, char operand) {
  if (word.size() < 3 || word[0] != operand) return false;
  for (const char index : word.substr(1))
    if (index < 'i' || index > 'z') return false;
  return true;
}

void read_tensile_word(std::string_view word, KernelFacts& facts) {
  const auto numbered = [&](std::string_view key) {
    return word.starts_with(key) && word.size() > key.size() && std::isdigit(word[key.size()]);
  };
  std::uint32_t sizes[3];
  if (numbered("MT") && read_sizes(word.substr(2), sizes)) {
    facts.tile_m = sizes[0];
    facts.tile_n = sizes[1];
    facts.tile_k = sizes[2];
  } else if (numbered("MI")) {
    facts.pipe = Pipe::kTensorCore;
  } else if (numbered("GSU")) {
    facts.split_k = leading_number(word.substr(3)) > 1;
  } else if (word == "MX" && facts.dtype == "f32") {
    facts.dtype = "tf32";  // single precision that the matrix units round
  }
}

}  // namespace

bool read_tensile(const KernelNameParts& name, KernelFacts& facts) {
  auto words = split_at(name.base, '_');
  if (!words.empty() && words.front() == "Custom") words.erase(words.begin());
  if (words.size() < 2 || !is_operand(words[0], 'C')) return false;
  // What only scales C, or adds up the parts of a split sum, names no operands, or says so.
  const bool operands = words.size() > 3 && is_operand(words[1], 'A') && is_operand(words[2], 'B');
  const bool product = operands && !name.base_words.has("postgsu*");
  facts.family = "tensile";
  facts.kernel_class = product ? "gemm" : "gemm_aux";
  std::size_t at = 1;
  if (operands) {
    facts.layout = {words[1][1] == 'l' ? 't' : 'n', words[2][1] == 'l' ? 'n' : 't'};
    at = 3;
  }
  read_tensile_types(words[at], facts);
  while (++at < words.size()) read_tensile_word(words[at], facts);
  return true;
}

}  // namespace mfushim::knowledge
