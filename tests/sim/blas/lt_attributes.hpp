// Packed attribute storage for cuBLASLt's opaque structs: sizes and defaults from one table per
// struct.
#pragma once

#include <cublasLt.h>

#include <array>
#include <cstdint>
#include <cstring>

namespace mfusim::blas {

struct AttributeRow {
  int id;
  uint8_t bytes;
  uint64_t initial;
};

// Reads and writes the attributes of Opaque, laid out in the order of Rows. The checks and their
// status are those of the real library, asked without a GPU.
template <class Opaque, const auto& Rows>
class Attributes {
 public:
  static constexpr size_t kBytes = [] {
    size_t total = 0;
    for (const AttributeRow& row : Rows) total += row.bytes;
    return total;
  }();
  static_assert(kBytes <= sizeof(Opaque));

  static cublasStatus_t init(Opaque* opaque, size_t bytes) {
    if (opaque == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    if (bytes < sizeof(Opaque)) return CUBLAS_STATUS_ALLOC_FAILED;
    std::memset(opaque, 0, sizeof(Opaque));
    auto* at = reinterpret_cast<unsigned char*>(opaque);
    for (const AttributeRow& row : Rows) {
      std::memcpy(at, &row.initial, row.bytes);
      at += row.bytes;
    }
    return CUBLAS_STATUS_SUCCESS;
  }

  static cublasStatus_t set(Opaque* opaque, int id, const void* value, size_t bytes) {
    const Slot slot = find(id);
    if (opaque == nullptr || value == nullptr || slot.bytes == 0 || bytes != slot.bytes) {
      return CUBLAS_STATUS_INVALID_VALUE;
    }
    std::memcpy(reinterpret_cast<unsigned char*>(opaque) + slot.offset, value, bytes);
    return CUBLAS_STATUS_SUCCESS;
  }

  static cublasStatus_t get(const Opaque* opaque, int id, void* value, size_t bytes,
                            size_t* written) {
    const Slot slot = find(id);
    if (opaque == nullptr || slot.bytes == 0) return CUBLAS_STATUS_INVALID_VALUE;
    if (bytes == 0) {
      if (written == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
      *written = slot.bytes;
      return CUBLAS_STATUS_SUCCESS;
    }
    if (value == nullptr || bytes != slot.bytes) return CUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(value, reinterpret_cast<const unsigned char*>(opaque) + slot.offset, bytes);
    if (written != nullptr) *written = bytes;
    return CUBLAS_STATUS_SUCCESS;
  }

  // For the library itself: id is one of Rows and T has its size.
  template <class T>
  static T value(const Opaque* opaque, int id) {
    T result{};
    get(opaque, id, &result, sizeof result, nullptr);
    return result;
  }

 private:
  struct Slot {
    size_t offset = 0;
    size_t bytes = 0;
  };

  static Slot find(int id) {
    size_t offset = 0;
    for (const AttributeRow& row : Rows) {
      if (row.id == id) return {offset, row.bytes};
      offset += row.bytes;
    }
    return {};
  }
};

// Sizes and defaults as the real cuBLASLt 13.1 answers for them, ids 9, 27 and so on unknown to it
// too.
inline constexpr std::array kDescRows {
  AttributeRow{CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, 4, CUBLAS_COMPUTE_32F},
      AttributeRow{CUBLASLT_MATMUL_DESC_SCALE_TYPE, 4, CUDA_R_32F},
      AttributeRow{CUBLASLT_MATMUL_DESC_POINTER_MODE, 4, CUBLASLT_POINTER_MODE_HOST},
      AttributeRow{CUBLASLT_MATMUL_DESC_TRANSA, 4, CUBLAS_OP_N},
      AttributeRow{CUBLASLT_MATMUL_DESC_TRANSB, 4, CUBLAS_OP_N},
      AttributeRow{CUBLASLT_MATMUL_DESC_TRANSC, 4, CUBLAS_OP_N},
      AttributeRow{CUBLASLT_MATMUL_DESC_FILL_MODE, 4, CUBLAS_FILL_MODE_FULL},
      AttributeRow{CUBLASLT_MATMUL_DESC_EPILOGUE, 4, CUBLASLT_EPILOGUE_DEFAULT},
      AttributeRow{CUBLASLT_MATMUL_DESC_BIAS_POINTER, 8, 0},
      AttributeRow{CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, 8, 0},
      AttributeRow{CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, 8, 0},
      AttributeRow{CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, 8, 0},
      AttributeRow{CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, 8, 0},
      AttributeRow{CUBLASLT_MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE, 8, 0},
      AttributeRow{CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, 4, 0},
      AttributeRow{CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, 8, 0},
      AttributeRow{CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, 8, 0},
      AttributeRow{CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, 8, 0},
      AttributeRow{CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, 8, 0},
      AttributeRow{CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, 8, 0},
      AttributeRow{CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, 4, 0xffffffff},
      AttributeRow{CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER, 8, 0},
      AttributeRow{CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER, 8, 0},
      AttributeRow{CUBLASLT_MATMUL_DESC_FAST_ACCUM, 1, 0},
      AttributeRow{CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, 4, 0xffffffff},
#if CUBLAS_VERSION >= 120800
      AttributeRow{CUBLASLT_MATMUL_DESC_A_SCALE_MODE, 4, 0},
      AttributeRow{CUBLASLT_MATMUL_DESC_B_SCALE_MODE, 4, 0},
      AttributeRow{CUBLASLT_MATMUL_DESC_C_SCALE_MODE, 4, 0},
      AttributeRow{CUBLASLT_MATMUL_DESC_D_SCALE_MODE, 4, 0},
      AttributeRow{CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_MODE, 4, 0},
      AttributeRow{CUBLASLT_MATMUL_DESC_D_OUT_SCALE_POINTER, 8, 0},
      AttributeRow{CUBLASLT_MATMUL_DESC_D_OUT_SCALE_MODE, 4, 0},
#endif
#if CUBLAS_VERSION >= 130100
      AttributeRow{CUBLASLT_MATMUL_DESC_EMULATION_DESCRIPTOR, 8, 0},
#endif
};

inline constexpr std::array kLayoutRows {
  AttributeRow{CUBLASLT_MATRIX_LAYOUT_TYPE, 4, 0},
      AttributeRow{CUBLASLT_MATRIX_LAYOUT_ORDER, 4, CUBLASLT_ORDER_COL},
      AttributeRow{CUBLASLT_MATRIX_LAYOUT_ROWS, 8, 0},
      AttributeRow{CUBLASLT_MATRIX_LAYOUT_COLS, 8, 0},
      AttributeRow{CUBLASLT_MATRIX_LAYOUT_LD, 8, 0},
      AttributeRow{CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, 4, 1},
      AttributeRow{CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, 8, 0},
      AttributeRow{CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, 8, 0},
#if CUBLAS_VERSION >= 130000
      AttributeRow{CUBLASLT_MATRIX_LAYOUT_BATCH_MODE, 4, 0},
#endif
};

inline constexpr std::array kPreferenceRows{
    AttributeRow{CUBLASLT_MATMUL_PREF_SEARCH_MODE, 4, CUBLASLT_SEARCH_BEST_FIT},
    AttributeRow{CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, 8, 0},
    AttributeRow{CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, 4, CUBLASLT_REDUCTION_SCHEME_MASK},
    AttributeRow{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, 4, 256},
    AttributeRow{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, 4, 256},
    AttributeRow{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, 4, 256},
    AttributeRow{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, 4, 256},
    AttributeRow{CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT, 4, 0},
    AttributeRow{CUBLASLT_MATMUL_PREF_IMPL_MASK, 8, ~uint64_t{0}},
};

inline constexpr std::array kAlgoRows{
    AttributeRow{CUBLASLT_ALGO_CONFIG_ID, 4, 0},
    AttributeRow{CUBLASLT_ALGO_CONFIG_TILE_ID, 4, 0},
    AttributeRow{CUBLASLT_ALGO_CONFIG_SPLITK_NUM, 4, 0},
    AttributeRow{CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, 4, 0},
    AttributeRow{CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING, 4, 0},
    AttributeRow{CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, 4, 0},
    AttributeRow{CUBLASLT_ALGO_CONFIG_STAGES_ID, 4, 0},
    AttributeRow{CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID, 2, 0},
    AttributeRow{CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, 2, 0},
};

using DescAttributes = Attributes<cublasLtMatmulDescOpaque_t, kDescRows>;
using LayoutAttributes = Attributes<cublasLtMatrixLayoutOpaque_t, kLayoutRows>;
using PreferenceAttributes = Attributes<cublasLtMatmulPreferenceOpaque_t, kPreferenceRows>;
using AlgoAttributes = Attributes<cublasLtMatmulAlgo_t, kAlgoRows>;

}  // namespace mfusim::blas
