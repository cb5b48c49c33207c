// XMMA kernels of cuBLAS and cuDNN:
// sm{NN}_xmma_{gemm|fprop|dgrad|wgrad}_..._{A}{C}_{B}{sum}_{sum}_{layout}_..._tilesize{M}x{N}x{K}_...
#include "knowledge/kernels/grammar.hpp"
#include "knowledge/kernels/types.hpp"

namespace mfushim::knowledge {

namespace {

// The first two words of types: inputs and output, then what they are multiplied and summed as.
void read_types(std::string_view word, int& words_of_types, KernelFacts& facts) {
  const auto types = types_in_row(word);
  if (types.empty()) return;
  ++words_of_types;
  if (words_of_types == 1 && types.size() >= 2) {
    facts.dtype = types.front();
    facts.output = types.back();
  } else if (words_of_types == 2) {
    if (types.front() == "tf32") facts.dtype = "tf32";
    facts.accumulate = types.back();
  }
}

}  // namespace

bool read_xmma(const KernelNameParts& name, KernelFacts& facts) {
  if (name.base.find("_xmma_") == std::string_view::npos) return false;
  facts.family = "xmma";
  facts.kernel_class = name.base_words.has("fprop") || name.base_words.has("dgrad") ||
                               name.base_words.has("wgrad") ||
                               name.base_words.has("*convolution") || name.base_words.has("deconv")
                           ? "conv"
                           : "gemm";
  read_arch(name.base, facts);
  facts.pipe = name.base_words.has("ffma") ? Pipe::kSimt : Pipe::kTensorCore;
  if (name.base_words.has("depthwise")) facts.pipe = Pipe::kUnknown;
  int words_of_types = 0;
  std::uint32_t sizes[3];
  for (const std::string_view word : split_at(name.base, '_')) {
    if (word.starts_with("tilesize")) {
      if (facts.tile_m == 0 && read_sizes(word.substr(8), sizes)) {
        facts.tile_m = sizes[0];
        facts.tile_n = sizes[1];
        facts.tile_k = sizes[2];
      }
    } else if (word.starts_with("stage")) {
      facts.stages = leading_number(word.substr(5));
    } else if (word.starts_with("cgasize")) {
      facts.cluster = word.substr(7);
    } else if (word.starts_with("aligna")) {
      facts.alignment = leading_number(word.substr(6));
    } else if (is_layout(word) && facts.layout.empty()) {
      facts.layout = word;
    } else if (words_of_types < 2) {
      read_types(word, words_of_types, facts);
    }
  }
  facts.split_k = name.base.find("_split_k") != std::string_view::npos;
  return true;
}

}  // namespace mfushim::knowledge
