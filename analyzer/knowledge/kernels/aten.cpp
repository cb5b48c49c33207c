// PyTorch's softmax of short rows, whose template tells whether its logarithm is taken: then it is
// part of a loss. softmax_warp_{forward|backward}<in, out, sum, log2 of the row, is_log, masked>
#include "knowledge/kernels/grammar.hpp"

namespace mfushim::knowledge {

bool read_aten_softmax(const KernelNameParts& name, KernelFacts& facts) {
  if (!name.base.starts_with("softmax_warp_")) return false;
  const auto arguments = split_arguments(arguments_of(name.text, name.base));
  if (arguments.size() < 5) return false;
  facts.family = "aten";
  facts.kernel_class = arguments[4] == "true" || arguments[4] == "1" ? "loss" : "softmax";
  return true;
}

}  // namespace mfushim::knowledge
