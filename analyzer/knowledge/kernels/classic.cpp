// The hand-tuned kernels of cuBLAS and cuDNN up to Ampere:
// {arch}_[{io}_]{s|h|d|c|z|i}[{mma shape}]{gemm|cudnn}_[{io}_]{MxN}[_slicedAxB]_..._{layout}[_v1]
#include <algorithm>

#include "knowledge/kernels/grammar.hpp"
#include "knowledge/kernels/types.hpp"

namespace mfushim::knowledge {

namespace {

// "s16816gemm", "scudnn", "gcgemm": letter, shape of the tensor cores' step, work.
bool read_work(std::string_view word, KernelFacts& facts) {
  std::string_view work;
  for (const std::string_view w : {"gemm", "cudnn", "symm", "hemm", "syrk", "trmm", "trsm"})
    if (word.ends_with(w)) work = w;
  if (work.empty() || word.size() == work.size()) return false;
  std::string_view kind = word.substr(0, word.size() - work.size());
  const std::size_t digits = kind.find_first_of("0123456789");
  facts.pipe = digits == std::string_view::npos ? Pipe::kSimt : Pipe::kTensorCore;
  kind = kind.substr(0, digits);
  if (kind.empty() || kind.size() > 2 || blas_letter_type(kind.back()).empty()) return false;
  facts.kernel_class = work == "cudnn" ? "conv" : "gemm";
  facts.accumulate = blas_letter_type(kind.back());
  if (facts.accumulate == "i8") facts.accumulate = "i32";
  if (!facts.dtype.empty()) return true;
  facts.dtype = blas_letter_type(kind.back());
  // Single precision through tensor cores is rounded.
  if (facts.dtype == "f32" && facts.pipe == Pipe::kTensorCore) facts.dtype = "tf32";
  return true;
}

}  // namespace

bool read_classic(const KernelNameParts& name, KernelFacts& facts) {
  const auto words = split_at(name.base, '_');
  const auto is_code_name = [](std::string_view word) {
    return word == "maxwell" || word == "pascal" || word == "volta" || word == "turing" ||
           word == "ampere" || word == "hopper";
  };
  const auto arch = std::find_if(words.begin(), words.end(), is_code_name);
  if (arch == words.end() || arch - words.begin() > 2) return false;
  KernelFacts read;
  read_arch(*arch, read);
  bool known = false;
  std::uint32_t sizes[3];
  for (auto word = arch + 1; word != words.end(); ++word) {
    const std::string_view type = type_named(*word);
    if (!type.empty() && (read.dtype.empty() || read.dtype == "f32" || read.dtype == "tf32")) {
      if (type != "f32") read.dtype = type;
    } else if (!known) {
      known = read_work(*word, read);
    } else if (read.tile_m == 0 && read_sizes(*word, sizes)) {
      read.tile_m = sizes[0];
      read.tile_n = sizes[1];
    } else if (*word == "stages" && word + 1 != words.end() && read_sizes(word[1], sizes)) {
      read.tile_k = sizes[0];
      read.stages = sizes[1];
    } else if (*word == "splitK") {
      read.split_k = true;
    } else if (is_layout(*word)) {
      read.layout = *word;
    }
  }
  if (!known) return false;
  read.family = read.kernel_class == "conv" ? "cudnn_classic" : "cublas_classic";
  facts = read;
  return true;
}

}  // namespace mfushim::knowledge
