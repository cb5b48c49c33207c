// Which kernels operations become, with names as cuDNN 9 gives them on Hopper, and the launching.
#include "execute.hpp"

#include <algorithm>
#include <string>

#include "handle.hpp"
#include "kernels.hpp"
#include "lt_product.hpp"
#include "sim_driver.hpp"

namespace mfusim::cudnn {
namespace {

using library::KernelWork;

// What cuDNN reaches of the peak in convolutions and attention; enough for a plausible time.
constexpr double kSustained = 0.6;
constexpr double kPrologueNs = 2000;

std::string type_word(cudnnDataType_t type) {
  switch (type) {
    case CUDNN_DATA_HALF:
      return "f16";
    case CUDNN_DATA_BFLOAT16:
      return "bf16";
    case CUDNN_DATA_DOUBLE:
      return "f64";
    default:
      return "f32";
  }
}

std::string convolution_name(const char* pass, cudnnDataType_t type) {
  const std::string word = type_word(type);
  return std::string("sm90_xmma_") + pass + "_implicit_gemm_" + word + word + "_" + word +
         "f32_f32_nhwckrsc_nhwc_tilesize128x128x64_warpgroupsize1x1x1_g1_execute_segment_k_off_"
         "kernel__5x_cudnn";
}

std::string name_of(const Operation& operation) {
  switch (operation.kind) {
    case Kind::kConvForward:
      return convolution_name("fprop", operation.type);
    case Kind::kConvData:
      return convolution_name("dgrad", operation.type);
    case Kind::kConvFilter:
      return convolution_name("wgrad", operation.type);
    case Kind::kAttentionForward:
      return "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x128_4x1x1_"
             "kernel0_0";
    case Kind::kAttentionBackward:
      return "cudnn_generated_fort_native_sdpa_sm90_flash_bprop_wgmma_f16_knob_31_64x128x128_1x4x1_"
             "kernel0_0";
    case Kind::kMatmul:
      return "sm90_xmma_gemm_" + type_word(operation.type) + type_word(operation.type) +
             "_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_"
             "cudnn";
    case Kind::kRnnForward:
      return "_Z16elemWiseRNNcell_fpI6__halffL14cudnnRNNMode_t2EEviiPKT_PT0_";
    case Kind::kRnnData:
    case Kind::kRnnWeights:
      return "_Z16elemWiseRNNcell_bpI6__halffL14cudnnRNNMode_t2EEviiPKT_PT0_";
    default:
      return "_ZN5cudnn6engine24op_generic_tensor_kernelILi2E6__halffLi256EEEvPKT0_PT1_";
  }
}

KernelWork kernel_of(const Operation& operation) {
  KernelWork work;
  work.name = name_of(operation);
  work.cost.flops = flops_of(operation);
  work.cost.bytes = operation.bytes;
  work.cost.dtype = pipe_of(operation.type);
  const double rate = library::peak_flops(work.cost.dtype) * kSustained;
  const double memory = library::bytes_per_second(library::Rate::kDeviceMemory);
  const double seconds = std::max(work.cost.flops / rate, work.cost.bytes / memory);
  work.cost.fixed_ns = static_cast<uint64_t>(kPrologueNs + seconds * 1e9);
  work.grid.x = static_cast<unsigned>(std::max(library::current_device().sm_count, 1));
  work.block.x = 384;
  return work;
}

// The kernels of one call: operations of an attention graph are fused into one, whose work they
// share.
std::vector<KernelWork> kernels_of(const std::vector<Operation>& operations) {
  std::vector<KernelWork> kernels;
  const auto products = std::ranges::count(operations, Kind::kMatmul, &Operation::kind);
  if (products < 2) {
    for (const Operation& operation : operations) kernels.push_back(kernel_of(operation));
    return kernels;
  }
  Operation fused = operations.front();
  fused.kind = products > 2 ? Kind::kAttentionBackward : Kind::kAttentionForward;
  KernelWork work = kernel_of(fused);
  work.cost.flops = 0;
  for (const Operation& operation : operations) work.cost.flops += flops_of(operation);
  const double rate = library::peak_flops(work.cost.dtype) * kSustained;
  work.cost.fixed_ns = static_cast<uint64_t>(kPrologueNs + work.cost.flops / rate * 1e9);
  kernels.push_back(work);
  return kernels;
}

bool is_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaStreamIsCapturing(stream, &status);
  return status == cudaStreamCaptureStatusActive;
}

}  // namespace

cudnnStatus_t execute(cudnnHandle_t handle, const char* api,
                      const std::vector<Operation>& operations) {
  if (handle == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  const library::Piece piece;
  int launches = 0;
  if (operations.size() == 1 && operations[0].kind == Kind::kMatmul &&
      product_by_lt(handle, operations[0])) {
    launches = 1;
  } else {
    for (const KernelWork& kernel : kernels_of(operations)) {
      if (library::launch(library::runtime_door(), kernel, handle->stream) != CUDA_SUCCESS) {
        return CUDNN_STATUS_EXECUTION_FAILED_CUDA_DRIVER;
      }
      ++launches;
    }
  }
  tell({api, operations, launches, is_captured(handle->stream), piece});
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t populate(const char* api, const std::vector<Operation>& operations,
                       cudaGraph_t graph) {
  if (graph == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  const library::Piece piece;
  for (const KernelWork& kernel : kernels_of(operations)) {
    if (library::add_node(kernel, graph) != CUDA_SUCCESS) {
      return CUDNN_STATUS_EXECUTION_FAILED_CUDA_DRIVER;
    }
  }
  tell({api, operations, 0, true, piece});
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t execute_pass(cudnnHandle_t handle, const char* api, double bytes) {
  Operation pass;
  pass.kind = Kind::kOther;
  pass.bytes = bytes;
  return execute(handle, api, {pass});
}

}  // namespace mfusim::cudnn
