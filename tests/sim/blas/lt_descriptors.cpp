// libcublasLt: create, initialise in place, set and get of descriptors, layouts, preferences,
// algorithms.
#include <new>

#include "lt_attributes.hpp"

using namespace mfusim::blas;

// The functions that every kind of opaque struct has, Stem being cublasLtMatmulDesc and so on.
#define MFUSIM_ACCESSORS(Stem, Attribute, Store)                                             \
  cublasStatus_t Stem##Destroy(Stem##_t opaque) {                                            \
    delete opaque;                                                                           \
    return CUBLAS_STATUS_SUCCESS;                                                            \
  }                                                                                          \
  cublasStatus_t Stem##SetAttribute(Stem##_t opaque, Attribute attribute, const void* value, \
                                    size_t bytes) {                                          \
    return Store::set(opaque, attribute, value, bytes);                                      \
  }                                                                                          \
  cublasStatus_t Stem##GetAttribute(Stem##_t opaque, Attribute attribute, void* value,       \
                                    size_t bytes, size_t* written) {                         \
    return Store::get(opaque, attribute, value, bytes, written);                             \
  }

namespace {

// Allocates *opaque and initialises it with init(opaque).
template <class Opaque, class Init>
cublasStatus_t create(Opaque** opaque, Init init) {
  if (opaque == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *opaque = new (std::nothrow) Opaque;
  return *opaque != nullptr ? init(*opaque) : CUBLAS_STATUS_ALLOC_FAILED;
}

}  // namespace

extern "C" {

MFUSIM_ACCESSORS(cublasLtMatmulDesc, cublasLtMatmulDescAttributes_t, DescAttributes)
MFUSIM_ACCESSORS(cublasLtMatrixLayout, cublasLtMatrixLayoutAttribute_t, LayoutAttributes)
MFUSIM_ACCESSORS(cublasLtMatmulPreference, cublasLtMatmulPreferenceAttributes_t,
                 PreferenceAttributes)

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t desc, size_t bytes,
                                               cublasComputeType_t compute, cudaDataType_t scale) {
  const cublasStatus_t status = DescAttributes::init(desc, bytes);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  DescAttributes::set(desc, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, &compute, sizeof compute);
  return DescAttributes::set(desc, CUBLASLT_MATMUL_DESC_SCALE_TYPE, &scale, sizeof scale);
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* desc, cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  return create(desc, [&](cublasLtMatmulDesc_t made) {
    return cublasLtMatmulDescInit_internal(made, sizeof *made, compute, scale);
  });
}

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout, size_t bytes,
                                                 cudaDataType type, uint64_t rows, uint64_t cols,
                                                 int64_t ld) {
  const cublasStatus_t status = LayoutAttributes::init(layout, bytes);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  LayoutAttributes::set(layout, CUBLASLT_MATRIX_LAYOUT_TYPE, &type, sizeof type);
  LayoutAttributes::set(layout, CUBLASLT_MATRIX_LAYOUT_ROWS, &rows, sizeof rows);
  LayoutAttributes::set(layout, CUBLASLT_MATRIX_LAYOUT_COLS, &cols, sizeof cols);
  return LayoutAttributes::set(layout, CUBLASLT_MATRIX_LAYOUT_LD, &ld, sizeof ld);
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type,
                                          uint64_t rows, uint64_t cols, int64_t ld) {
  return create(layout, [&](cublasLtMatrixLayout_t made) {
    return cublasLtMatrixLayoutInit_internal(made, sizeof *made, type, rows, cols, ld);
  });
}

cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t preference,
                                                     size_t bytes) {
  return PreferenceAttributes::init(preference, bytes);
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  return create(preference, [](cublasLtMatmulPreference_t made) {
    return PreferenceAttributes::init(made, sizeof *made);
  });
}

cublasStatus_t cublasLtMatmulAlgoConfigSetAttribute(cublasLtMatmulAlgo_t* algo,
                                                    cublasLtMatmulAlgoConfigAttributes_t attribute,
                                                    const void* value, size_t bytes) {
  return AlgoAttributes::set(algo, attribute, value, bytes);
}

cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t* algo,
                                                    cublasLtMatmulAlgoConfigAttributes_t attribute,
                                                    void* value, size_t bytes, size_t* written) {
  return AlgoAttributes::get(algo, attribute, value, bytes, written);
}

}  // extern "C"
