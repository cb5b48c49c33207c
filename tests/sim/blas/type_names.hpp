// cuBLAS's data types and operations: size, kind and name.
#pragma once

#include <cublas_api.h>

namespace mfusim::blas {

const char* data_type_name(cudaDataType_t type);          // as the enumerator is spelled
const char* operation_name(cublasOperation_t operation);  // "N", "T" or "C"
double data_type_bytes(cudaDataType_t type);              // half a byte for the 4-bit types
bool is_complex(cudaDataType_t type);

}  // namespace mfusim::blas
