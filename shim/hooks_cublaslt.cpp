// cuBLASLt's matrix product: its shape and types are in opaque descriptors, which the library's own
// getters read (8 ns each, without a GPU).
#include "mfushim/format/api.hpp"
#include "thunk.hpp"

#define MFUSHIM_ROWS "mfushim/format/apis_cublaslt.def"
#define MFUSHIM_API(symbol, ...) struct symbol;
#include MFUSHIM_ROWS
#undef MFUSHIM_API

#include <cublasLt.h>

#include "products.hpp"
#include "streams.hpp"

namespace mfushim::shim {

using enum format::Api;

namespace {

// Attributes that older headers lack, by their numbers: an older library refuses them.
constexpr int kLayoutBatchMode = 8;
constexpr int kDescAScalePointer = 17, kDescBScalePointer = 18;
constexpr int kDescAScaleMode = 31, kDescBScaleMode = 32;
// Batch modes: strided 0, array of pointers 1 (13.0); groups of several shapes 2 (13.5), whose
// sizes are arrays in device memory.
constexpr std::uint32_t kLastPlainBatchMode = 1;

template <class Value>
Value get(decltype(&cublasLtMatrixLayoutGetAttribute) getter, cublasLtMatrixLayout_t layout,
          int attribute, Value otherwise) {
  Value value{};
  const auto which = static_cast<cublasLtMatrixLayoutAttribute_t>(attribute);
  const bool known = getter != nullptr && layout != nullptr &&
                     getter(layout, which, &value, sizeof value, nullptr) == CUBLAS_STATUS_SUCCESS;
  return known ? value : otherwise;
}
template <class Value>
Value get(decltype(&cublasLtMatmulDescGetAttribute) getter, cublasLtMatmulDesc_t desc,
          int attribute, Value otherwise) {
  Value value{};
  const auto which = static_cast<cublasLtMatmulDescAttributes_t>(attribute);
  const bool known = getter != nullptr && desc != nullptr &&
                     getter(desc, which, &value, sizeof value, nullptr) == CUBLAS_STATUS_SUCCESS;
  return known ? value : otherwise;
}

}  // namespace

static void describe(Tag<cublasLtMatmul>, const Target& target, Details& d, cublasLtHandle_t,
                     cublasLtMatmulDesc_t desc, const void*, const void*,
                     cublasLtMatrixLayout_t a_desc, const void*, cublasLtMatrixLayout_t b_desc,
                     const void*, const void*, cublasLtMatrixLayout_t c_desc, void*,
                     cublasLtMatrixLayout_t d_desc, const cublasLtMatmulAlgo_t*, void*, std::size_t,
                     cudaStream_t stream) {
  const auto of_layout = MFUSHIM_REAL(target, cublasLtMatrixLayoutGetAttribute);
  const auto of_desc = MFUSHIM_REAL(target, cublasLtMatmulDescGetAttribute);
  const auto size = [&](cublasLtMatrixLayout_t layout, int attribute) {
    return get<std::uint64_t>(of_layout, layout, attribute, 0);
  };
  const auto type = [&](cublasLtMatrixLayout_t layout) {
    return element_type(get<std::uint32_t>(of_layout, layout, CUBLASLT_MATRIX_LAYOUT_TYPE, ~0u));
  };
  const auto scaled = [&](int mode, int pointer) {
    return get<std::int32_t>(of_desc, desc, mode, 0) != 0 ||
           get<const void*>(of_desc, desc, pointer, nullptr) != nullptr;
  };

  format::GemmShape shape;
  const auto trans_a = get<std::int32_t>(of_desc, desc, CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_N);
  const auto trans_b = get<std::int32_t>(of_desc, desc, CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_N);
  shape.trans_a = transpose(trans_a);
  shape.trans_b = transpose(trans_b);
  shape.m = size(d_desc, CUBLASLT_MATRIX_LAYOUT_ROWS);
  shape.n = size(d_desc, CUBLASLT_MATRIX_LAYOUT_COLS);
  shape.k = size(
      a_desc, trans_a == CUBLAS_OP_N ? CUBLASLT_MATRIX_LAYOUT_COLS : CUBLASLT_MATRIX_LAYOUT_ROWS);
  shape.batch = static_cast<std::uint64_t>(
      get<std::int32_t>(of_layout, d_desc, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, 1));
  shape.a = type(a_desc);
  shape.b = type(b_desc);
  shape.c = type(c_desc);
  shape.d = type(d_desc);
  shape.compute = get<std::int32_t>(of_desc, desc, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, -1);
  shape.epilogue = get<std::uint32_t>(of_desc, desc, CUBLASLT_MATMUL_DESC_EPILOGUE, 0);
  if (scaled(kDescAScaleMode, kDescAScalePointer) || scaled(kDescBScaleMode, kDescBScalePointer))
    shape.flags |= format::kShapeScaled;
  for (const cublasLtMatrixLayout_t layout : {a_desc, b_desc, d_desc}) {
    if (get<std::uint32_t>(of_layout, layout, kLayoutBatchMode, 0) <= kLastPlainBatchMode) continue;
    shape.flags |= format::kShapeGrouped | format::kShapeUnknown;
    shape.m = shape.n = shape.k = 0;
  }
  d.subject = shape_id(shape);
  d.number = 1;
  set_stream(d, stream);
}

}  // namespace mfushim::shim

mfushim::shim::Entry mfushim_exported_cublaslt[] = {
#define MFUSHIM_API(symbol, ...) MFUSHIM_EXPORTED(symbol, MFUSHIM_CUDA_VERSION)
#include MFUSHIM_ROWS
#undef MFUSHIM_API
};
