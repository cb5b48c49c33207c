// libcublasLt: the product itself, and the heuristic that offers one algorithm for it.
#include "lt_attributes.hpp"
#include "product.hpp"

using namespace mfusim;
using namespace mfusim::blas;

namespace {

// Where the real library looks its 32 raw driver names up: before main, whether or not it is used.
[[gnu::constructor]] void find_driver_at_load() {
  library::direct_door();
}

template <class T>
T of(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute) {
  return LayoutAttributes::value<T>(layout, attribute);
}

template <class T>
T of(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute) {
  return DescAttributes::value<T>(desc, attribute);
}

int64_t rows(cublasLtMatrixLayout_t layout) {
  return static_cast<int64_t>(of<uint64_t>(layout, CUBLASLT_MATRIX_LAYOUT_ROWS));
}

int64_t cols(cublasLtMatrixLayout_t layout) {
  return static_cast<int64_t>(of<uint64_t>(layout, CUBLASLT_MATRIX_LAYOUT_COLS));
}

cudaDataType_t type(cublasLtMatrixLayout_t layout) {
  return static_cast<cudaDataType_t>(of<int32_t>(layout, CUBLASLT_MATRIX_LAYOUT_TYPE));
}

// CUBLASLT_MATRIX_LAYOUT_BATCH_MODE is new in 13.0, CUBLASLT_BATCH_MODE_GROUPED in 13.5, whose
// groups have one shape here.
constexpr auto kBatchMode = static_cast<cublasLtMatrixLayoutAttribute_t>(8);
constexpr int32_t kBatchModeGrouped = 2;

constexpr int32_t kBiasEpilogues =
    CUBLASLT_EPILOGUE_BIAS | CUBLASLT_EPILOGUE_BGRADA | CUBLASLT_EPILOGUE_BGRADB;

Product product_of(const char* api, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
                   cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t d) {
  Product product;
  product.api = api;
  product.transa = static_cast<cublasOperation_t>(of<int32_t>(desc, CUBLASLT_MATMUL_DESC_TRANSA));
  product.transb = static_cast<cublasOperation_t>(of<int32_t>(desc, CUBLASLT_MATMUL_DESC_TRANSB));
  product.m = rows(d);
  product.n = cols(d);
  product.k = product.transa == CUBLAS_OP_N ? cols(a) : rows(a);
  product.batch = of<int32_t>(d, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
  product.a_type = type(a);
  product.b_type = type(b);
  product.d_type = type(d);
  product.compute = of<int32_t>(desc, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE);
  product.sizes_on_device = of<int32_t>(d, kBatchMode) == kBatchModeGrouped;
  product.bias = (of<int32_t>(desc, CUBLASLT_MATMUL_DESC_EPILOGUE) & kBiasEpilogues) != 0;
  return product;
}

bool fits(const Product& product, cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b) {
  const bool a_plain = product.transa == CUBLAS_OP_N;
  const bool b_plain = product.transb == CUBLAS_OP_N;
  return (a_plain ? rows(a) : cols(a)) == product.m && (b_plain ? rows(b) : cols(b)) == product.k &&
         (b_plain ? cols(b) : rows(b)) == product.n;
}

}  // namespace

extern "C" {

MfusimProductScope* mfusim_product_scope() {
  thread_local MfusimProductScope scope{};
  return &scope;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void* alpha,
                              const void* a, cublasLtMatrixLayout_t a_layout, const void* b,
                              cublasLtMatrixLayout_t b_layout, const void* beta, const void*,
                              cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t*, void*,
                              size_t, cudaStream_t stream) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (desc == nullptr || alpha == nullptr || a == nullptr || a_layout == nullptr || b == nullptr ||
      b_layout == nullptr || beta == nullptr || c_layout == nullptr || d == nullptr ||
      d_layout == nullptr) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  const Product product = product_of(__func__, desc, a_layout, b_layout, d_layout);
  if (!fits(product, a_layout, b_layout)) return CUBLAS_STATUS_INVALID_VALUE;
  ProductCall call({&product, 1}, stream);
  return call.finish(perform({&product, 1}, stream));
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int requested,
                                              cublasLtMatmulHeuristicResult_t results[],
                                              int* returned) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (desc == nullptr || a == nullptr || b == nullptr || c == nullptr || d == nullptr ||
      preference == nullptr || requested <= 0 || results == nullptr || returned == nullptr) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  *returned = 0;
  const Product product = product_of(__func__, desc, a, b, d);
  if (!fits(product, a, b) || !is_supported(product, library::current_device())) {
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  cublasLtMatmulHeuristicResult_t result{};
  cublasLtMatmulAlgoInit(handle, static_cast<cublasComputeType_t>(product.compute), CUDA_R_32F,
                         product.a_type, product.b_type, type(c), product.d_type, 66, &result.algo);
  result.state = CUBLAS_STATUS_SUCCESS;
  result.wavesCount = 1.0F;
  results[0] = result;
  *returned = 1;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoInit(cublasLtHandle_t handle, cublasComputeType_t, cudaDataType_t,
                                      cudaDataType_t, cudaDataType_t, cudaDataType_t,
                                      cudaDataType_t, int id, cublasLtMatmulAlgo_t* algo) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  const cublasStatus_t status = AlgoAttributes::init(algo, sizeof *algo);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  return AlgoAttributes::set(algo, CUBLASLT_ALGO_CONFIG_ID, &id, sizeof id);
}

cublasStatus_t cublasLtMatmulAlgoGetIds(cublasLtHandle_t handle, cublasComputeType_t,
                                        cudaDataType_t, cudaDataType_t, cudaDataType_t,
                                        cudaDataType_t, cudaDataType_t, int requested, int ids[],
                                        int* returned) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (requested <= 0 || ids == nullptr || returned == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  ids[0] = 66;
  *returned = 1;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                       cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                       cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                       const cublasLtMatmulAlgo_t* algo,
                                       cublasLtMatmulHeuristicResult_t* result) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (desc == nullptr || a == nullptr || b == nullptr || c == nullptr || d == nullptr ||
      algo == nullptr || result == nullptr) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  *result = {};
  result->algo = *algo;
  result->wavesCount = 1.0F;
  return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
