// The families of kernels whose names follow a grammar. Each function returns whether the name is
// of its family, and then has written down all that the name says.
#pragma once

#include "knowledge/kernels/kernel.hpp"
#include "knowledge/kernels/name.hpp"

namespace mfushim::knowledge {

bool read_nvjet(const KernelNameParts& name, KernelFacts& facts);
bool read_xmma(const KernelNameParts& name, KernelFacts& facts);
bool read_classic(const KernelNameParts& name, KernelFacts& facts);
bool read_cutlass2(const KernelNameParts& name, KernelFacts& facts);
bool read_cutlass3(const KernelNameParts& name, KernelFacts& facts);
bool read_cutlass_template(const KernelNameParts& name, KernelFacts& facts);
bool read_trtllm(const KernelNameParts& name, KernelFacts& facts);
bool read_deep_gemm(const KernelNameParts& name, KernelFacts& facts);
bool read_tensile(const KernelNameParts& name, KernelFacts& facts);
bool read_flash2(const KernelNameParts& name, KernelFacts& facts);
bool read_flash3(const KernelNameParts& name, KernelFacts& facts);
bool read_fmha(const KernelNameParts& name, KernelFacts& facts);
bool read_cudnn_attention(const KernelNameParts& name, KernelFacts& facts);
bool read_inductor(const KernelNameParts& name, KernelFacts& facts);
bool read_aten_softmax(const KernelNameParts& name, KernelFacts& facts);
bool read_nccl(const KernelNameParts& name, KernelFacts& facts);

}  // namespace mfushim::knowledge
