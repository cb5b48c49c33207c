// cuBLAS's matrix products: all have (handle, transa, transb, m, n, k, ...) in common, and what
// follows says types and batch by its own C types.
#include "mfushim/format/api.hpp"
#include "thunk.hpp"

#define MFUSHIM_ROWS "mfushim/format/apis_cublas.def"
#define MFUSHIM_API(symbol, ...) struct symbol;
#include MFUSHIM_ROWS
#undef MFUSHIM_API

// cuBLAS before 13.1 leaves this to cublas_v2.h, which renames some of the functions.
#ifndef CUBLASAPI
#define CUBLASAPI
#endif
#include <cublas_api.h>

#include "products.hpp"
#include "streams.hpp"

namespace mfushim::shim {

using format::Api;
using format::DType;

static_assert(element_type(CUDA_R_32F) == DType::kF32 && element_type(CUDA_C_64F) == DType::kC64 &&
              element_type(CUDA_R_16BF) == DType::kBf16 && element_type(CUDA_R_8I) == DType::kI8 &&
              element_type(CUDA_R_8F_E5M2) == DType::kF8E5M2);
static_assert(transpose(CUBLAS_OP_T) == format::Transpose::kTranspose &&
              transpose(CUBLAS_OP_C) == format::Transpose::kConjugate);

// The arguments after k, by type. `Dimension` is int, or int64_t in the _64 twins; strides have
// another type than either.
template <class Dimension>
struct Arguments {
  cudaDataType types[3] = {};
  unsigned type_count = 0;
  int compute = -1;
  Dimension last = 1;  // dimension: the batch count where there is one

  void take(cudaDataType type) {
    if (type_count < 3) types[type_count++] = type;
  }
  void take(cublasComputeType_t type) { compute = type; }
  void take(Dimension value) { last = value; }
  void take(auto) {}
};

// By the letter of a typed function: cublasSgemm.
consteval DType type_by_letter(std::string_view name) {
  switch (name[6]) {
    case 'S':
      return DType::kF32;
    case 'D':
      return DType::kF64;
    case 'C':
      return DType::kC32;
    case 'Z':
      return DType::kC64;
    default:
      return DType::kF16;
  }
}

template <Api api, class Dimension>
requires(format::api_row(api).library ==
         format::Library::kCublas) void describe(Tag<api>, const Target& target, Details& d,
                                                 cublasHandle_t handle, cublasOperation_t trans_a,
                                                 cublasOperation_t trans_b, Dimension m,
                                                 Dimension n, Dimension k, auto... rest) {
  constexpr std::string_view kName = format::api_row(api).name;
  Arguments<Dimension> arguments;
  (arguments.take(rest), ...);

  format::GemmShape shape;
  shape.product =
      kName.find("3m") != kName.npos ? format::ProductKind::kGemm3m : format::ProductKind::kGemm;
  shape.m = static_cast<std::uint64_t>(m);
  shape.n = static_cast<std::uint64_t>(n);
  shape.k = static_cast<std::uint64_t>(k);
  if (kName.find("Batched") != kName.npos) shape.batch = static_cast<std::uint64_t>(arguments.last);
  shape.trans_a = transpose(trans_a);
  shape.trans_b = transpose(trans_b);
  if (arguments.type_count == 3) {
    shape.a = element_type(arguments.types[0]);
    shape.b = element_type(arguments.types[1]);
    shape.c = element_type(arguments.types[2]);
  } else {
    shape.a = shape.b = shape.c = type_by_letter(kName);
  }
  shape.d = shape.c;
  shape.compute = arguments.compute;
  cublasMath_t mode = CUBLAS_DEFAULT_MATH;
  if (const auto get = MFUSHIM_REAL(target, cublasGetMathMode)) get(handle, &mode);
  shape.math_mode = static_cast<std::uint32_t>(mode);
  d.subject = shape_id(shape);
  d.number = 1;

  cudaStream_t stream = nullptr;
  if (const auto get = MFUSHIM_REAL(target, cublasGetStream_v2)) get(handle, &stream);
  set_stream(d, stream);
}

// Functions that the header overloads for C++; which one is meant only its type says.
using GemmEx = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                              const void*, const void*, cudaDataType, int, const void*,
                              cudaDataType, int, const void*, void*, cudaDataType, int,
                              cublasComputeType_t, cublasGemmAlgo_t);
using GemmBatchedEx = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int,
                                     int, const void*, const void* const[], cudaDataType, int,
                                     const void* const[], cudaDataType, int, const void*,
                                     void* const[], cudaDataType, int, int, cublasComputeType_t,
                                     cublasGemmAlgo_t);
using GemmStridedBatchedEx = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t,
                                            int, int, int, const void*, const void*, cudaDataType,
                                            int, long long, const void*, cudaDataType, int,
                                            long long, const void*, void*, cudaDataType, int,
                                            long long, int, cublasComputeType_t, cublasGemmAlgo_t);
template <GemmEx* function>
consteval auto pick() {
  return function;
}
template <GemmBatchedEx* function>
consteval auto pick() {
  return function;
}
template <GemmStridedBatchedEx* function>
consteval auto pick() {
  return function;
}

}  // namespace mfushim::shim

mfushim::shim::Entry mfushim_exported_cublas[] = {
#define MFUSHIM_API(symbol, ...) MFUSHIM_EXPORTED(symbol, MFUSHIM_CUDA_VERSION)
#include MFUSHIM_ROWS
#undef MFUSHIM_API
};
