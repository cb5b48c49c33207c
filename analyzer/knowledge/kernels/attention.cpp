// Attention in one kernel: FlashAttention 2 and 3, the memory-efficient kernels of xFormers and
// PyTorch, and cuDNN's.
#include "knowledge/kernels/grammar.hpp"
#include "knowledge/kernels/types.hpp"

namespace mfushim::knowledge {

namespace {

bool is_true(std::string_view word) {
  return word == "true" || word == "1";
}

void mark_attention(KernelFacts& facts, std::string_view family) {
  facts.family = family;
  facts.kernel_class = "attention";
  facts.pipe = Pipe::kTensorCore;
}

// The flags behind the traits grew with the versions: dropout, causal[, local[, alibi]], even
// lengths, even head dimension[, softcap], and of the forward kernel whether to return the softmax.
// The split-KV kernel begins with causal and ends with two of its own.
void read_flash2_flags(const std::vector<std::string_view>& arguments, const KernelNameParts& name,
                       KernelFacts& facts) {
  if (arguments.size() < 5) return;
  const bool split = name.base_words.has("splitkv");
  const std::size_t causal = split ? 1 : 2;
  const std::size_t count = arguments.size() - 1 - (facts.backward ? 0 : 1);
  const std::size_t between = split ? 2 : std::min<std::size_t>(count > 4 ? count - 4 : 0, 2);
  const std::size_t even = causal + 1 + between;
  if (even + 1 >= arguments.size()) return;
  facts.split_k = split;
  facts.causal = is_true(arguments[causal]);
  facts.windowed = between > 0 && is_true(arguments[causal + 1]);
  facts.even = is_true(arguments[even]);
  facts.even_head = is_true(arguments[even + 1]);
}

}  // namespace

// flash_{fwd|bwd}_..._kernel<Flash_{fwd|bwd}_kernel_traits<head dim, queries, keys, warps, ...>,
// dropout, causal, local, alibi, even, ...>
bool read_flash2(const KernelNameParts& name, KernelFacts& facts) {
  const bool forward = name.base.starts_with("flash_fwd");
  if (!forward && !name.base.starts_with("flash_bwd")) return false;
  const std::string_view traits =
      arguments_of(name.text, forward ? "Flash_fwd_kernel_traits" : "Flash_bwd_kernel_traits");
  if (traits.empty()) return false;
  // The sums around the kernel itself.
  if (!name.base_words.has("*kernel") || name.base_words.has("combine") ||
      name.base_words.has("dot") || name.base_words.has("convert"))
    return false;
  mark_attention(facts, "flash_attention_2");
  facts.backward = !forward;
  facts.arch = 80;
  const auto t = split_arguments(traits);
  if (t.size() >= 3) {
    facts.head_dim = leading_number(t[0]);
    facts.value_dim = facts.head_dim;
    facts.tile_m = leading_number(t[1]);
    facts.tile_n = leading_number(t[2]);
  }
  read_flash2_flags(split_arguments(arguments_of(name.text, name.base)), name, facts);
  return true;
}

// device_kernel<flash::enable_sm90...<flash::FlashAttnFwdSm90<flash::CollectiveMainloopFwdSm90<
// stages, cluster, tile, value dim, type, sum, arch, causal, ...>
bool read_flash3(const KernelNameParts& name, KernelFacts& facts) {
  const bool forward = name.text.find("FlashAttnFwdSm") != std::string::npos;
  const bool backward = name.text.find("FlashAttnBwdSm") != std::string::npos;
  if (!forward && !backward) return false;
  mark_attention(facts, "flash_attention_3");
  facts.backward = backward;
  read_arch(name.text, facts);
  const std::string_view loop =
      arguments_of(name.text, forward ? "CollectiveMainloopFwdSm90" : "CollectiveMainloopBwdSm90");
  for (const std::string_view part : split_arguments(loop)) {
    const auto sizes = cute_sizes(part);
    if (sizes.size() != 3 || sizes[2] <= 1) continue;  // the cluster's third is 1
    facts.tile_m = sizes[0];
    facts.tile_n = sizes[1];
    facts.head_dim = sizes[2];
    break;
  }
  const auto list = split_arguments(loop);
  for (std::size_t i = 0; forward && i + 1 < list.size(); ++i)
    if (list[i].find("arch::Sm") != std::string_view::npos) facts.causal = is_true(list[i + 1]);
  if (forward && list.size() > 3) facts.value_dim = leading_number(list[3]);
  return true;
}

// fmha_cutlass{F|B}_{type}_{aligned|notaligned}_{queries}x{keys}_{rf|gmem|kN}..._sm{NN}
bool read_fmha(const KernelNameParts& name, KernelFacts& facts) {
  if (!name.base.starts_with("fmha_cutlass")) return false;
  const auto words = split_at(name.base, '_');
  mark_attention(facts, "fmha_cutlass");
  facts.backward = words[1] == "cutlassB";
  read_arch(name.base, facts);
  std::uint32_t sizes[3];
  for (const std::string_view word : words) {
    if (!type_named(word).empty()) facts.dtype = type_named(word);
    if (word == "notaligned") facts.alignment = 1;
    if (read_sizes(word, sizes)) {
      facts.tile_m = sizes[0];
      facts.tile_n = sizes[1];
    }
  }
  // Tensor cores of single precision came with Ampere.
  if (facts.arch < 70 || (facts.dtype == "f32" && facts.arch < 80)) facts.pipe = Pipe::kSimt;
  return true;
}

// cudnn_generated_fort_native_sdpa_sm{NN}_flash_{fprop|bprop}_..._{queries}x{keys}x{head dim}_...
bool read_cudnn_attention(const KernelNameParts& name, KernelFacts& facts) {
  if (!name.base.starts_with("cudnn_generated") || !name.base_words.has("sdpa")) return false;
  mark_attention(facts, "cudnn_generated");
  facts.backward = name.base_words.has("bprop");
  read_arch(name.base, facts);
  std::uint32_t sizes[3];
  for (const std::string_view word : split_at(name.base, '_')) {
    if (word == "f16") facts.dtype = "16bit";  // either of the two
    if (type_named(word) == "bf16" || type_named(word) == "fp8") facts.dtype = type_named(word);
    if (facts.tile_m != 0 || !read_sizes(word, sizes)) continue;
    facts.tile_m = sizes[0];
    facts.tile_n = sizes[1];
  }
  return true;
}

// ncclDevKernel_{collective}[_{reduction}_{type}]..., ncclKernel_{collective}_..._{type}
bool read_nccl(const KernelNameParts& name, KernelFacts& facts) {
  if (!name.base.starts_with("nccl") || name.base.find("Kernel") == std::string_view::npos)
    return false;
  facts.family = "nccl";
  facts.kernel_class = kCommunicationClass;
  for (const std::string_view word : split_at(name.base, '_')) {
    const std::string lower = lower_case(word);
    if (!type_named(lower).empty()) facts.dtype = type_named(lower);
    if (lower == "f8e4m3" || lower == "f8e5m2") facts.dtype = type_named(lower.substr(2));
  }
  return true;
}

}  // namespace mfushim::knowledge
