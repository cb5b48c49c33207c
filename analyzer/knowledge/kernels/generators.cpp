// Generators that write what they compile into the name: TensorRT-LLM's, DeepGEMM, PyTorch's
// Inductor.
#include "knowledge/kernels/grammar.hpp"
#include "knowledge/kernels/types.hpp"

namespace mfushim::knowledge {

namespace {

// "t128x16x256u2" of a product's name.
bool read_trtllm_tile(std::string_view word, KernelFacts& facts) {
  if (!word.starts_with('t')) return false;
  std::uint32_t sizes[3];
  if (!read_sizes(word.substr(1, word.find('u') - 1), sizes)) return false;
  facts.tile_m = sizes[0];
  facts.tile_n = sizes[1];
  facts.tile_k = sizes[2];
  return true;
}

// What Inductor fused stands in the name of a reduction; of a pointwise kernel it changes nothing.
std::string_view class_of_reduction(const NameWords& fused) {
  for (const char* norm : {"rmsnorm", "layernorm", "groupnorm", "batchnorm", "rsqrt"})
    if (fused.has(norm)) return "norm";
  for (const char* loss : {"logsoftmax", "nllloss*", "crossentropy*", "logsumexp"})
    if (fused.has(loss)) return "loss";
  return fused.has("softmax") ? "softmax" : "reduce";
}

std::string_view class_of_template(const NameWords& fused) {
  if (fused.has("*attention*")) return "attention";
  if (fused.has("*convolution*") || fused.has("conv*")) return "conv";
  return fused.has("groupedmm") ? "grouped_gemm" : "gemm";
}

// DeepGEMM's enum: 0 is one product, 4 a batch of equal ones; the others have groups of tokens.
bool is_grouped_type(std::string_view arguments) {
  constexpr std::string_view kType = "GemmType)";
  const std::size_t at = arguments.find(kType);
  if (at == arguments.npos) return false;
  const std::uint32_t type = leading_number(arguments.substr(at + kType.size()));
  return type != 0 && type != 4;
}

}  // namespace

bool read_trtllm(const KernelNameParts& name, KernelFacts& facts) {
  const bool batched = name.base.starts_with("bmm_");
  if (!batched && !name.base.starts_with("gemm_")) return false;
  KernelFacts read;
  for (const std::string_view word : split_at(name.base, '_')) {
    if (read_trtllm_tile(word, read)) continue;
    if (word.size() > 1 && word[0] == 's' && read.stages == 0)
      read.stages = leading_number(word.substr(1));
  }
  if (read.tile_k == 0) return false;
  read.family = "trtllm_gen";
  // Its batches are the tokens of each expert.
  read.kernel_class = batched ? "grouped_gemm" : "gemm";
  read.pipe = Pipe::kTensorCore;
  read_arch(name.base, read);
  facts = read;
  return true;
}

bool read_deep_gemm(const KernelNameParts& name, KernelFacts& facts) {
  if (!name.scope_words.has("deepgemm") || !name.base_words.has("gemm")) return false;
  facts.family = "deep_gemm";
  facts.kernel_class = "gemm";
  facts.pipe = Pipe::kTensorCore;
  read_arch(name.base, facts);
  const std::string_view arguments = arguments_of(name.text, name.base);
  if (is_grouped_type(arguments)) facts.kernel_class = "grouped_gemm";
  const auto list = split_arguments(arguments);
  // Layouts first; m, n, k (0: only known when it runs), groups, block sizes.
  std::size_t at = 0;
  while (at < list.size() && list[at].find("Major") != std::string_view::npos) ++at;
  if (at + 7 > list.size() || !name.base.starts_with("sm")) return true;
  facts.shape_n = leading_number(list[at + 1]);
  facts.shape_k = leading_number(list[at + 2]);
  if (leading_number(list[at + 3]) > 1) facts.kernel_class = "grouped_gemm";
  facts.tile_m = leading_number(list[at + 4]);
  facts.tile_n = leading_number(list[at + 5]);
  facts.tile_k = leading_number(list[at + 6]);
  return true;
}

bool read_inductor(const KernelNameParts& name, KernelFacts& facts) {
  if (!name.base.starts_with("triton_")) return false;
  const std::string_view rest = name.base.substr(7);
  const std::string_view kind = rest.substr(0, rest.find('_'));
  const NameWords& fused = name.base_words;
  if (kind == "poi" || rest.starts_with("_0d1") || rest.empty())
    facts.kernel_class = "elementwise";
  else if (kind == "red" || kind == "per")
    facts.kernel_class = class_of_reduction(fused);
  else if (kind == "tem" || kind == "mm" || kind == "bmm" || kind == "addmm")
    facts.kernel_class = kind == "tem" ? class_of_template(fused) : "gemm";
  else if (kind == "for")
    facts.kernel_class = "foreach";
  else if (kind == "spl")
    facts.kernel_class = "scan";
  else
    return false;
  facts.family = "inductor";
  return true;
}

}  // namespace mfushim::knowledge
