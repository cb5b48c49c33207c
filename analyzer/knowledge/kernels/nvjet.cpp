// nvjet, cuBLAS's kernels from Hopper on:
// nvjet_[smXX_]{types}_{MxN}_{KxSTAGES}[_{cluster}][_options]_{layout}, the types by letters.
#include "knowledge/kernels/grammar.hpp"
#include "knowledge/kernels/types.hpp"

namespace mfushim::knowledge {

namespace {

// Inferred from kernels whose types are known: inputs, then the type of the sum, then the output.
std::string_view nvjet_type(char letter) {
  switch (letter) {
    case 'o':
      return "fp4";
    case 'q':
      return "fp8";
    case 't':
      return "bf16";
    case 'i':  // has not been seen
      return {};
    default:
      return blas_letter_type(letter);
  }
}

}  // namespace

bool read_nvjet(const KernelNameParts& name, KernelFacts& facts) {
  if (!name.base.starts_with("nvjet")) return false;
  facts.kernel_class = "gemm";
  facts.family = "nvjet";
  facts.pipe = Pipe::kTensorCore;
  read_arch(name.base, facts);
  if (facts.arch == 0) {
    facts.arch = 90;
    facts.arch_or_later = true;
  }
  std::uint32_t sizes[3];
  int pairs = 0;
  for (const std::string_view word : split_at(name.base, '_')) {
    if (word == "nvjet" || word.starts_with("sm")) continue;
    if (read_sizes(word, sizes)) {
      ++pairs;
      if (pairs == 1) {
        facts.tile_m = sizes[0];
        facts.tile_n = sizes[1];
      } else if (pairs == 2) {
        facts.tile_k = sizes[0];
        facts.stages = sizes[1];
      } else {
        facts.cluster = word;
      }
    } else if (pairs == 0 && word.size() >= 3 && !nvjet_type(word[0]).empty()) {
      facts.dtype = nvjet_type(word[0]);
      facts.accumulate = nvjet_type(word[word.size() - 2]);
      facts.output = nvjet_type(word[word.size() - 1]);
    } else if (word == "splitK") {
      facts.split_k = true;
    } else if (is_layout(word)) {
      facts.layout = lower_case(word.substr(0, 2));
    }
  }
  return true;
}

}  // namespace mfushim::knowledge
