// Kernels that state no cost, under names that tell it: check.py has their durations.
#include <cuda.h>

#include "expect.hpp"
#include "mfusim/driver.h"

#define OK(call) EXPECT((call) == CUDA_SUCCESS)

namespace {

struct Launch {
  const char* name;
  unsigned grid[3];
  unsigned threads;
};

// As PyTorch's fat binaries register them, shortened where the rest says nothing.
constexpr Launch kLaunches[] = {
    {"_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIfEESt5arrayIPcLm3EELb0"
     "EEEviT0_T1_",
     {64000, 1, 1},
     128},
    {"_ZN2at6native18elementwise_kernelILi128ELi2EZNS0_22gpu_kernel_impl_nocastINS0_15CUDAFunctor_a"
     "ddIN3c108BFloat16EEEEEvRNS_18TensorIteratorBaseERKT_EUliE_EEviT1_",
     {64000, 1, 1},
     128},
    {"_ZN2at6native52_GLOBAL__N__1f580294_19_fused_adamw_impl_cu_8b44fa2325multi_tensor_apply_"
     "kernel"
     "INS1_32FusedOptimizerTensorListMetadataILi4EEENS1_20FusedAdamMathFunctorIfLi4ELNS0_9ADAM_"
     "MODEE"
     "1ELb0EEEJPKfdddddbS9_S9_EEEvT_T0_DpT1_",
     {728, 1, 1},
     512},
    {"_ZN2at6native13reduce_kernelILi128ELi4ENS0_8ReduceOpIfNS0_14func_wrapper_tIfZNS0_11sum_"
     "functor"
     "IfffEclERNS_14TensorIteratorEEUlffE_EEjfLi4ELi4EEEEEvT1_",
     {64000, 1, 1},
     128},
    {"_ZN13pytorch_flash16flash_fwd_kernelI23Flash_fwd_kernel_"
     "traitsILi64ELi128ELi64ELi4ELb0ELb0EN7c"
     "utlass10bfloat16_tE19Flash_kernel_traitsILi64ELi128ELi64ELi4ES3_"
     "EELb0ELb1ELb0ELb0ELb1ELb1ELb0E"
     "Lb0EEEvNS_16Flash_fwd_paramsE",
     {64, 2, 8},
     128},
    {"_ZN13pytorch_flash44flash_bwd_dq_dk_dv_loop_seqk_parallel_kernelI23Flash_bwd_kernel_"
     "traitsILi1"
     "28ELi64ELi128ELi8ELi4ELi4ELi4ELb0ELb0EN7cutlass6half_tE19Flash_kernel_"
     "traitsILi128ELi64ELi128E"
     "Li8ES3_EELb0ELb0ELb0ELb0ELb1ELb1ELb0EEEvNS_16Flash_bwd_paramsE",
     {64, 2, 8},
     256},
    {"fmha_cutlassF_bf16_aligned_64x128_rf_sm80", {64, 8, 2}, 128},
    {"fmha_cutlassB_f16_aligned_64x64_k32_sm80", {64, 8, 2}, 128},
    {"a_kernel_of_its_own", {64000, 1, 1}, 128},
};

}  // namespace

int main() {
  OK(cuInit(0));
  CUcontext context;
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuCtxSetCurrent(context));
  for (const Launch& l : kLaunches) {
    const MfusimKernel kernel{l.name, MFUSIM_COST_GEOMETRY, 0, nullptr};
    const MfusimImage image{MFUSIM_IMAGE_MAGIC, 1, 1, &kernel};
    CUmodule module;
    CUfunction function;
    OK(cuModuleLoadData(&module, &image));
    OK(cuModuleGetFunction(&function, module, l.name));
    OK(cuLaunchKernel(function, l.grid[0], l.grid[1], l.grid[2], l.threads, 1, 1, 0, nullptr,
                      nullptr, nullptr));
  }
  OK(cuCtxSynchronize());
  return 0;
}
