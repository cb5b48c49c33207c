// Asks the grammars in turn, then the rules; what a grammar leaves open, the words tell.
#include "knowledge/kernels/kernel.hpp"

#include "knowledge/kernels/grammar.hpp"
#include "knowledge/kernels/rules.hpp"
#include "knowledge/kernels/types.hpp"
#include "knowledge/kernels/user_rules.hpp"

namespace mfushim::knowledge {

namespace {

using Grammar = bool (*)(const KernelNameParts& name, KernelFacts& facts);

// Each knows its own by a prefix or a type's name, so their order does not matter.
constexpr Grammar kGrammars[] = {read_nvjet,    read_xmma,         read_classic,
                                 read_cutlass2, read_cutlass3,     read_cutlass_template,
                                 read_trtllm,   read_deep_gemm,    read_flash2,
                                 read_flash3,   read_fmha,         read_cudnn_attention,
                                 read_inductor, read_aten_softmax, read_nccl,
                                 read_tensile};

constexpr std::string_view kClasses[] = {
    "gemm",     "gemm_aux",  "grouped_gemm",  "gemv",      "conv",
    "conv_aux", "attention", "attention_aux", "softmax",   "loss",
    "norm",     "rope",      "elementwise",   "copy",      "reduce",
    "scan",     "sort",      "index",         "embedding", "dropout",
    "rng",      "optimizer", "foreach",       "quant",     "activation_quant",
    "moe",      "kvcache",   "ssm",           "pool",      "rnn",
    "fft",      "comm",      "memcpy",        "memset",    "sync",
    "other"};

// float2 is a complex number where such are multiplied, else two values.
bool is_complex_class(std::string_view kernel_class) {
  return kernel_class == "gemm" || kernel_class == "gemm_aux" || kernel_class == "gemv" ||
         kernel_class == "conv" || kernel_class == "fft";
}

struct Owner {
  std::string_view word;  // of the namespaces
  std::string_view family;
};
// The more special first: PyTorch and CUTLASS are in the names of others.
constexpr Owner kOwners[] = {{"vllm", "vllm"},
                             {"flashinfer", "flashinfer"},
                             {"transformerengine", "transformer_engine"},
                             {"tensorrtllm", "tensorrt_llm"},
                             {"deepep", "deep_ep"},
                             {"deepgemm", "deep_gemm"},
                             {"fbgemmgpu", "fbgemm"},
                             {"cktile", "ck_tile"},
                             {"thrust", "thrust"},
                             {"cub", "cub"},
                             {"cudnn*", "cudnn"},
                             {"cask*", "cudnn"},
                             {"cublas*", "cublas"},
                             {"atnative", "aten"},
                             {"cutlass", "cutlass"}};

// Whose kernel it is, where no grammar said so.
std::string_view family_of_scope(const NameWords& scope) {
  for (const Owner& owner : kOwners)
    if (scope.has(owner.word)) return owner.family;
  return {};
}

// PyTorch's copies are one kernel template, which names the type that it makes, or that it loads or
// stores with a cast.
bool is_converting_copy(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  return has("float16_copy_kernel") || has("float8_copy_kernel") ||
         (has("copy_kernel") && has("WithCast"));
}

}  // namespace

KernelFacts describe_kernel(std::string_view demangled, const UserRules* rules) {
  const KernelNameParts name(demangled);
  KernelFacts facts;
  bool known = false;
  for (const Grammar read : kGrammars) {
    known = read(name, facts);
    if (known) break;
  }
  if (!known) {
    const std::string_view by_rules = class_by_rules(name);
    if (!by_rules.empty()) facts.kernel_class = by_rules;
  }
  if (facts.dtype.empty())
    facts.dtype = narrowest_type(name.text, is_complex_class(facts.kernel_class));
  if (facts.family.empty()) facts.family = family_of_scope(name.scope_words);
  if (facts.arch == 0) read_arch(name.text, facts);
  facts.converts = facts.kernel_class == "quant" || is_converting_copy(name.text);
  if (rules) rules->apply(demangled, facts);
  return facts;
}

std::span<const std::string_view> kernel_classes() {
  return kClasses;
}

bool is_product_class(std::string_view kernel_class) {
  return kernel_class == "gemm" || kernel_class == "grouped_gemm" || kernel_class == "gemv" ||
         kernel_class == "attention" || kernel_class == "conv";
}

}  // namespace mfushim::knowledge
