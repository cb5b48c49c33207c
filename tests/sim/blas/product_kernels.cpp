// Which kernels a product becomes, and how long they take: a plain model of tiles and waves, with
// names as cuBLAS 13 gives them on Hopper and cuBLAS 11 on Ampere (patterns of the public traces'
// names).
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "product.hpp"
#include "type_names.hpp"

namespace mfusim::blas {
namespace {

using library::DeviceFacts;
using library::KernelWork;

// Large bf16 products reach about 80 % of the datasheet's peak on H100 (794 of 989 TFLOP/s, MAMF).
constexpr double kSustained = 0.8;
// Filling and draining the pipeline of one kernel.
constexpr double kPrologueNs = 1500;

struct Tile {
  int64_t m, n;
  const char* nvjet;  // tile, stages, cluster and schedule as nvjet names spell them
};
constexpr Tile kWideTile{128, 256, "128x256_64x4_2x1_v_bz_coopA"};
constexpr Tile kTallTile{256, 128, "256x128_64x4_1x2_h_bz_coopA"};
constexpr Tile kSquareTile{128, 128, "128x128_64x6_2x1_v_bz"};
constexpr Tile kSmallTile{64, 64, "64x64_64x13_2x1_v_bz"};
constexpr Tile kSkinnyTile{64, 8, "64x8_64x16_2x1_v_bz"};

// The general product with the same operands and result.
Product as_gemm(Product product) {
  switch (std::exchange(product.kind, Kind::kGemm)) {
    case Kind::kGemm:
    case Kind::kGemm3m:
      break;
    case Kind::kGemv:
      product.k = std::exchange(product.n, 1);
      break;
    case Kind::kSymm:
    case Kind::kHemm:
    case Kind::kTrmm:
    case Kind::kTrsm:
      product.k = product.right ? product.n : product.m;
      break;
    default:  // updates of an n by n result
      product.m = product.n;
  }
  return product;
}

int64_t tiles_of(const Product& product, const Tile& tile) {
  return ((product.m + tile.m - 1) / tile.m) * ((product.n + tile.n - 1) / tile.n) * product.batch;
}

// Where the tiles leave most of the GPU idle and K is long, K is cut and the parts are added by a
// second kernel.
bool splits_k(const Product& product, const DeviceFacts& device) {
  constexpr int64_t kLongK = 4096;
  return product.batch == 1 && !is_complex(product.a_type) && product.k >= kLongK &&
         tiles_of(product, kSquareTile) * 2 <= device.sm_count;
}

const Tile& tile_for(const Product& product, const DeviceFacts& device) {
  if (std::min(product.m, product.n) <= 16) return kSkinnyTile;
  const Tile& large = product.m >= product.n ? kTallTile : kWideTile;
  if (tiles_of(product, large) >= device.sm_count) return large;
  const bool fills = tiles_of(product, kSquareTile) * 2 >= device.sm_count;
  return fills || splits_k(product, device) ? kSquareTile : kSmallTile;
}

// The pipe whose peak bounds the product: a cudaDataType_t value, or -1 for CUDA-core fp32.
int pipe_of(const Product& product) {
  switch (product.a_type) {
    case CUDA_C_32F:
      return -1;
    case CUDA_C_64F:
      return CUDA_R_64F;
    case CUDA_R_32F:
      switch (product.compute) {
        case CUBLAS_COMPUTE_32F_FAST_TF32:
          return CUDA_R_32F;
        case CUBLAS_COMPUTE_32F_FAST_16F:
          return CUDA_R_16F;
        case CUBLAS_COMPUTE_32F_FAST_16BF:
          return CUDA_R_16BF;
        default:
          return product.tf32_allowed ? CUDA_R_32F : -1;
      }
    default:
      return product.a_type;
  }
}

bool is_fp8(cudaDataType_t type) {
  return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2;
}

char nvjet_letter(cudaDataType_t type) {
  if (type == CUDA_R_16F) return 'h';
  if (type == CUDA_R_16BF) return 't';
  return is_fp8(type) ? 'q' : 's';
}

std::string nvjet_name(const Product& product, const Tile& tile, bool split_k) {
  std::string types{nvjet_letter(product.a_type)};
  if (is_fp8(product.a_type)) types += std::string(1, 'q') + nvjet_letter(product.d_type);
  types += 's';
  types += is_fp8(product.a_type) ? 't' : nvjet_letter(product.d_type);
  const bool transposed_output = &tile == &kTallTile;
  return "nvjet_sm90_" + types + "_" + tile.nvjet + (split_k ? "_splitK" : "") +
         (product.bias ? "_bias" : "") + "_" + (product.transa == CUBLAS_OP_N ? "N" : "T") +
         (product.transb == CUBLAS_OP_N ? "N" : "T") + (transposed_output ? "T" : "N");
}

std::string layout_of(const Product& product) {
  return std::string(product.transa == CUBLAS_OP_N ? "n" : "t") +
         (product.transb == CUBLAS_OP_N ? "n" : "t");
}

std::string classic_name(const Product& product, const Tile& tile) {
  const std::string layout = layout_of(product);
  const std::string size = std::to_string(tile.m) + "x" + std::to_string(tile.n);
  switch (product.a_type) {
    case CUDA_R_16BF:
    case CUDA_R_16F: {
      const std::string io = product.a_type == CUDA_R_16BF ? "bf16" : "fp16";
      return "ampere_" + io + "_s16816gemm_" + io + "_" + size + "_ldg8_f2f_stages_64x3_" + layout;
    }
    case CUDA_R_32F:
      if (pipe_of(product) != -1) {
        return "sm80_xmma_gemm_f32f32_tf32f32_f32_" + layout + "_n_tilesize" + size +
               "x32_stage3_warpsize2x2x1_tensor16x8x8_execute_kernel__5x_cublas";
      }
      return "sm80_xmma_gemm_f32f32_f32f32_f32_" + layout + "_n_tilesize" + size +
             "x8_stage3_warpsize1x4x1_ffma_aligna4_alignc4_execute_kernel__5x_cublas";
    case CUDA_R_64F:
      return "sm80_xmma_gemm_f64f64_f64f64_f64_" + layout + "_n_tilesize" + size +
             "x16_stage3_warpsize4x1x1_tensor8x8x4_execute_kernel__5x_cublas";
    case CUDA_C_32F:
      return "cutlass_80_simt_cgemm_" + size + "_8x5_" + layout + "_align1";
    case CUDA_C_64F:
      return "cutlass_80_tensorop_z884gemm_" + size + "_8x3_" + layout + "_align1";
    default:
      return "cutlass_80_tensorop_i16832gemm_s8_" + size + "_64x4_" + layout + "_align16";
  }
}

// Kernels of other kinds than general products are named after those, or after what the public
// traces show for matrix times vector and triangular solve.
std::string name_of_kind(Kind kind, std::string name) {
  constexpr const char* kUpdates[] = {"syrk",  "herk", "syr2k", "her2k", "syrkx",
                                      "herkx", "symm", "hemm",  "trmm"};
  switch (kind) {
    case Kind::kGemm:
    case Kind::kGemm3m:
      return name;
    case Kind::kGemv:
      return "gemvNSP_kernel";
    case Kind::kTrsm:
      return "trsm_left_kernel";
    default:
      return name.replace(name.find("gemm"), 4,
                          kUpdates[static_cast<int>(kind) - static_cast<int>(Kind::kSyrk)]);
  }
}

bool has_nvjet(const Product& product, const DeviceFacts& device) {
  return product.kind == Kind::kGemm && device.compute_capability >= 90 && !product.pointer_array &&
         (nvjet_letter(product.a_type) != 's');
}

double main_kernel_ns(const Product& product, const Tile& tile, double split,
                      const DeviceFacts& device, double bytes) {
  const double tiles = static_cast<double>(tiles_of(product, tile)) * split;
  const double sms = std::max(device.sm_count, 1);
  const double waves = std::ceil(tiles / sms);
  const double filled = tiles / (waves * sms);
  const double rate = library::peak_flops(pipe_of(product)) * kSustained * filled;
  const double memory_rate = 0.9 * library::bytes_per_second(library::Rate::kDeviceMemory);
  return std::max(flops_of(product) / rate, bytes / memory_rate) * 1e9;
}

KernelWork reduce_kernel(const Product& product, int split) {
  KernelWork reduce;
  reduce.name =
      "_ZN8cublasLt19splitKreduce_kernelILi8ELi32Eif6__halffS1_Lb0ES1_S1_S1_Lb0ELb1ELb0ELb0EEEvNS_"
      "18"
      "cublasSplitKParamsIT4_EEPKT2_PKT8_PT7_PT3_PKS3_SG_PKT9_S7_PSH_PvlPS3_PiSM_SM_SG_SG_SG_SG_"
      "SG_";
  const double outputs = static_cast<double>(product.m) * static_cast<double>(product.n);
  reduce.grid.x = static_cast<unsigned>(std::ceil(outputs / 2048));
  reduce.block = {32, 8, 1};
  reduce.cost.bytes = outputs * (4.0 * split + data_type_bytes(product.d_type));
  reduce.cost.fixed_ns = static_cast<uint64_t>(
      kPrologueNs +
      reduce.cost.bytes / library::bytes_per_second(library::Rate::kDeviceMemory) * 1e9);
  reduce.cost.dtype = -1;
  return reduce;
}

}  // namespace

bool is_supported(const Product& product, const DeviceFacts& device) {
  return device.compute_capability >= 89 || !(is_fp8(product.a_type) || is_fp8(product.b_type));
}

std::vector<ProductKernel> kernels_of(const Product& asked, const DeviceFacts& device) {
  std::vector<ProductKernel> kernels;
  const Product product = as_gemm(asked);
  if (product.m == 0 || product.n == 0 || product.batch == 0) return kernels;
  const Tile& tile = tile_for(product, device);
  const int64_t tiles = tiles_of(product, tile);
  const int split = splits_k(product, device)
                        ? static_cast<int>(std::clamp<int64_t>(device.sm_count / tiles, 2, 16))
                        : 1;
  const auto [m, n, k, batch] =
      std::array{static_cast<double>(product.m), static_cast<double>(product.n),
                 static_cast<double>(product.k), static_cast<double>(product.batch)};
  const bool nvjet = has_nvjet(asked, device);

  KernelWork main;
  main.name = nvjet ? nvjet_name(product, tile, split > 1)
                    : name_of_kind(asked.kind, classic_name(product, tile));
  main.grid.x = static_cast<unsigned>(nvjet ? std::min<int64_t>(tiles * split, device.sm_count)
                                            : tiles * split);
  main.block.x = nvjet ? 384 : 256;
  main.cluster = nvjet && main.grid.x % 2 == 0 ? 2 : 0;
  main.shared_bytes = nvjet ? 213 * 1024 : 96 * 1024;
  main.cost.flops = flops_of(asked) / static_cast<double>(asked.shares);
  main.cost.bytes = batch * ((m * k + k * n) * data_type_bytes(product.a_type) +
                             m * n * data_type_bytes(product.d_type));
  main.cost.dtype = pipe_of(product);
  main.cost.fixed_ns = static_cast<uint64_t>(
      kPrologueNs + main_kernel_ns(product, tile, split, device, main.cost.bytes) /
                        static_cast<double>(asked.shares));
  kernels.push_back({main, nvjet});
  if (split > 1) kernels.push_back({reduce_kernel(product, split), false});
  return kernels;
}

ProductKernel grouped_kernel_of(std::span<const Product> groups, const DeviceFacts& device) {
  ProductKernel whole;
  for (Product group : groups) {
    group.batch *= group.repeat;
    group.repeat = 1;
    group.pointer_array = true;
    for (const ProductKernel& kernel : kernels_of(group, device)) {
      whole.work.name = "cutlass_80_tensorop_grouped_" + kernel.work.name;
      whole.work.grid.x += kernel.work.grid.x;
      whole.work.block = kernel.work.block;
      whole.work.shared_bytes = kernel.work.shared_bytes;
      whole.work.cost.dtype = kernel.work.cost.dtype;
      whole.work.cost.flops += kernel.work.cost.flops;
      whole.work.cost.bytes += kernel.work.cost.bytes;
      whole.work.cost.fixed_ns += kernel.work.cost.fixed_ns;
    }
  }
  return whole;
}

}  // namespace mfusim::blas
