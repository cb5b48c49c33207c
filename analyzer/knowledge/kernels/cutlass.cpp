// Kernels that NVIDIA's libraries instantiate from CUTLASS, whose names list the configuration:
// cutlass_{NN}_{tensorop|wmma_tensorop|simt}_..._{MxN}_{KxSTAGES}_{layout}_align{n} and
// cutlass3x_sm{NN}_{tensorop|bstensorop|simt}_{s}{MxNxK}gemm_{A}_{B}_{sum}_{C}_{D}_{MxNxK}_...
#include "knowledge/kernels/grammar.hpp"
#include "knowledge/kernels/types.hpp"

namespace mfushim::knowledge {

namespace {

// The words from "cutlass" on, wherever the name has them; empty when there are none.
std::vector<std::string_view> cutlass_words(const KernelNameParts& name, std::string_view prefix) {
  const std::string_view text = name.text;
  const std::size_t begin = text.find(prefix);
  if (begin == std::string_view::npos) return {};
  std::size_t end = begin;
  while (end < text.size() &&
         (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
    ++end;
  return split_at(text.substr(begin, end - begin), '_');
}

std::string_view class_of_work(std::string_view work) {
  for (const std::string_view conv : {"fprop", "dgrad", "wgrad"})
    if (work.find(conv) != std::string_view::npos) return "conv";
  return "gemm";
}

// The type of "s1688gemm", "dgemm", ... where nothing else names one.
std::string_view type_of_work(std::string_view work, bool tensor_cores) {
  if (work[0] == 's' && tensor_cores) return "tf32";
  return work[0] == 'g' ? "f64" : blas_letter_type(work[0]);
}

bool is_work(std::string_view word) {
  return word.ends_with("gemm") || class_of_work(word) == "conv";
}

void read_option(std::string_view word, KernelFacts& facts) {
  if (word.starts_with("align")) facts.alignment = leading_number(word.substr(5));
  if (word == "grouped" || word == "group") facts.kernel_class = "grouped_gemm";
  if (is_layout(word) && facts.layout.empty()) facts.layout = word.substr(0, 2);
  if (word == "splitk" || word == "splitK") facts.split_k = true;
}

}  // namespace

bool read_cutlass2(const KernelNameParts& name, KernelFacts& facts) {
  const auto words = cutlass_words(name, "cutlass_");
  bool unit = false;
  for (const std::string_view word : words)
    unit = unit || word == "tensorop" || word == "simt" || word == "wmma";
  if (!unit) return false;
  facts.family = "cutlass2";
  facts.kernel_class = "gemm";
  const std::uint32_t arch = leading_number(words[1]);
  if (arch != 0) facts.arch = arch;
  facts.pipe = Pipe::kTensorCore;
  std::string_view work;
  std::uint32_t sizes[3];
  for (const std::string_view word : words) {
    const std::string_view type = type_named(word);
    if (word == "simt") {
      facts.pipe = Pipe::kSimt;
    } else if (!type.empty()) {
      (facts.dtype.empty() ? facts.dtype : facts.output) = type;
    } else if (work.empty() && is_work(word)) {
      work = word;
      facts.kernel_class = class_of_work(word);
    } else if (read_sizes(word, sizes)) {
      if (facts.tile_m == 0) {
        facts.tile_m = sizes[0];
        facts.tile_n = sizes[1];
      } else if (facts.tile_k == 0) {
        facts.tile_k = sizes[0];
        facts.stages = sizes[1];
      }
    } else {
      read_option(word, facts);
    }
  }
  if (facts.dtype.empty() && !work.empty())
    facts.dtype = type_of_work(work, facts.pipe == Pipe::kTensorCore);
  return true;
}

bool read_cutlass3(const KernelNameParts& name, KernelFacts& facts) {
  const auto words = cutlass_words(name, "cutlass3x_");
  if (words.size() < 3) return false;
  facts.family = "cutlass3";
  facts.kernel_class = "gemm";
  read_arch(words[1], facts);
  facts.pipe = words[2] == "simt" ? Pipe::kSimt : Pipe::kTensorCore;
  std::vector<std::string_view> types;
  bool work = false;
  std::uint32_t sizes[3];
  for (std::size_t i = 3; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const std::string_view type = type_named(word);
    if (!work) {
      work = is_work(word);
      if (work) facts.kernel_class = class_of_work(word);
    } else if (!type.empty() && facts.tile_m == 0) {
      types.push_back(type);
    } else if (read_sizes(word, sizes)) {
      if (facts.tile_m == 0) {
        facts.tile_m = sizes[0];
        facts.tile_n = sizes[1];
        facts.tile_k = sizes[2];
      } else {
        facts.cluster = word;
      }
    } else {
      read_option(word, facts);
    }
  }
  if (!types.empty()) facts.dtype = types[0];
  if (types.size() >= 3) facts.accumulate = types[2];
  if (types.size() >= 4) facts.output = types.back();
  return true;
}

// CUTLASS 3 as anyone instantiates it: GemmUniversal<problem, CollectiveMma<schedule<stages,
// cluster, ...>, tile, type of a, ...>, ...>.
bool read_cutlass_template(const KernelNameParts& name, KernelFacts& facts) {
  const auto main_loop = split_arguments(arguments_of(name.text, "CollectiveMma"));
  if (!name.base.starts_with("Gemm") || main_loop.size() < 3) return false;
  facts.family = "cutlass3";
  facts.kernel_class =
      name.template_words.has("*groupproblemshape") || name.base_words.has("grouped")
          ? "grouped_gemm"
          : "gemm";
  facts.pipe = Pipe::kTensorCore;
  read_arch(main_loop[0], facts);
  if (const auto tile = cute_sizes(main_loop[1]); tile.size() == 3) {
    facts.tile_m = tile[0];
    facts.tile_n = tile[1];
    facts.tile_k = tile[2];
  }
  facts.dtype = narrowest_type(main_loop[2], false);
  const std::size_t schedule = main_loop[0].find('<');
  if (schedule != std::string_view::npos)
    facts.stages = leading_number(main_loop[0].substr(schedule + 1));
  return true;
}

}  // namespace mfushim::knowledge
