// One table of cuBLAS's data types.
#include "type_names.hpp"

#include <string_view>

namespace mfusim::blas {
namespace {

struct TypeRow {
  cudaDataType_t type;
  const char* name;
  double bytes;
};

#define MFUSIM_TYPE(type, bytes) \
  { type, #type, bytes }
constexpr TypeRow kTypes[] = {
    MFUSIM_TYPE(CUDA_R_16F, 2),      MFUSIM_TYPE(CUDA_C_16F, 4),
    MFUSIM_TYPE(CUDA_R_16BF, 2),     MFUSIM_TYPE(CUDA_C_16BF, 4),
    MFUSIM_TYPE(CUDA_R_32F, 4),      MFUSIM_TYPE(CUDA_C_32F, 8),
    MFUSIM_TYPE(CUDA_R_64F, 8),      MFUSIM_TYPE(CUDA_C_64F, 16),
    MFUSIM_TYPE(CUDA_R_8I, 1),       MFUSIM_TYPE(CUDA_C_8I, 2),
    MFUSIM_TYPE(CUDA_R_8U, 1),       MFUSIM_TYPE(CUDA_C_8U, 2),
    MFUSIM_TYPE(CUDA_R_32I, 4),      MFUSIM_TYPE(CUDA_C_32I, 8),
    MFUSIM_TYPE(CUDA_R_8F_E4M3, 1),  MFUSIM_TYPE(CUDA_R_8F_E5M2, 1),
#if CUDART_VERSION >= 12080
    MFUSIM_TYPE(CUDA_R_8F_UE8M0, 1), MFUSIM_TYPE(CUDA_R_4F_E2M1, 0.5),
#endif
};
#undef MFUSIM_TYPE

const TypeRow* find(cudaDataType_t type) {
  for (const TypeRow& row : kTypes) {
    if (row.type == type) return &row;
  }
  return nullptr;
}

}  // namespace

const char* data_type_name(cudaDataType_t type) {
  const TypeRow* row = find(type);
  return row != nullptr ? row->name : "unknown";
}

double data_type_bytes(cudaDataType_t type) {
  const TypeRow* row = find(type);
  return row != nullptr ? row->bytes : 4;
}

bool is_complex(cudaDataType_t type) {
  return std::string_view(data_type_name(type)).starts_with("CUDA_C_");
}

const char* operation_name(cublasOperation_t operation) {
  switch (operation) {
    case CUBLAS_OP_N:
      return "N";
    case CUBLAS_OP_T:
      return "T";
    default:
      return "C";
  }
}

}  // namespace mfusim::blas
