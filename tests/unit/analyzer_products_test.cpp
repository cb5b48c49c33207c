// FLOPs of products by the formulas of BLAS, and the element type whose units they run on.
#include <catch2/catch.hpp>

#include "passes/flops.hpp"

namespace mfushim::passes {

using format::DType;
using format::GemmShape;
using format::ProductKind;

namespace {

GemmShape shape(ProductKind product, std::uint64_t m, std::uint64_t n, std::uint64_t k,
                DType a = DType::kF32, std::uint32_t flags = 0) {
  return {.product = product, .m = m, .n = n, .k = k, .a = a, .flags = flags};
}

}  // namespace

TEST_CASE("FLOPs of each kind of product", "[analyzer]") {
  CHECK(flops_of(shape(ProductKind::kGemm, 2, 3, 5)) == 60);    // 2 m n k = 2 * 2 * 3 * 5
  CHECK(flops_of(shape(ProductKind::kSyrk, 3, 3, 5)) == 60);    // k n (n + 1) = 5 * 3 * 4
  CHECK(flops_of(shape(ProductKind::kSyrkx, 3, 3, 5)) == 60);   // likewise
  CHECK(flops_of(shape(ProductKind::kSyr2k, 3, 3, 5)) == 120);  // 2 k n (n + 1)
  CHECK(flops_of(shape(ProductKind::kSymm, 2, 3, 0)) == 24);    // 2 m m n = 2 * 2 * 2 * 3
  CHECK(flops_of(shape(ProductKind::kTrmm, 2, 3, 0)) == 12);    // m m n = 2 * 2 * 3
  CHECK(flops_of(shape(ProductKind::kTrsm, 2, 3, 0)) == 12);    // likewise
  CHECK(flops_of(shape(ProductKind::kGemv, 2, 3, 0)) == 12);    // 2 m n
}

TEST_CASE("a factor on the right has the side of the columns", "[analyzer]") {
  const auto right = format::kShapeSideRight;
  CHECK(flops_of(shape(ProductKind::kSymm, 2, 3, 0, DType::kF32, right)) == 36);  // 2 m n n
  CHECK(flops_of(shape(ProductKind::kTrmm, 2, 3, 0, DType::kF32, right)) == 18);  // m n n
  CHECK(flops_of(shape(ProductKind::kTrsm, 2, 3, 0, DType::kF32, right)) == 18);
}

TEST_CASE("a complex product is four real ones", "[analyzer]") {
  CHECK(flops_of(shape(ProductKind::kGemm, 2, 3, 5, DType::kC32)) == 240);   // 8 m n k
  CHECK(flops_of(shape(ProductKind::kHerk, 3, 3, 5, DType::kC32)) == 240);   // 4 k n (n + 1)
  CHECK(flops_of(shape(ProductKind::kHerkx, 3, 3, 5, DType::kC64)) == 240);  // likewise
  CHECK(flops_of(shape(ProductKind::kHer2k, 3, 3, 5, DType::kC32)) == 480);  // 8 k n (n + 1)
  CHECK(flops_of(shape(ProductKind::kHemm, 2, 3, 0, DType::kC64)) == 96);    // 8 m m n
  CHECK(flops_of(shape(ProductKind::kTrmm, 2, 3, 0, DType::kC32)) == 48);    // 4 m m n
  CHECK(flops_of(shape(ProductKind::kGemv, 2, 3, 0, DType::kC32)) == 48);    // 8 m n
}

TEST_CASE("complex by three real products counts nominally, and less as executed", "[analyzer]") {
  const GemmShape gemm3m = shape(ProductKind::kGemm3m, 2, 3, 5, DType::kC64);
  CHECK(flops_of(gemm3m) == 240);           // 8 m n k
  CHECK(executed_flops_of(gemm3m) == 180);  // 6 m n k
  const GemmShape syrk3m = shape(ProductKind::kSyrk, 3, 3, 5, DType::kC32, format::kShape3m);
  CHECK(flops_of(syrk3m) == 240);           // 4 k n (n + 1)
  CHECK(executed_flops_of(syrk3m) == 180);  // 3 k n (n + 1)
  CHECK(executed_flops_of(shape(ProductKind::kGemm, 2, 3, 5, DType::kC64)) == 240);
}

TEST_CASE("floating-point operations of a network library's operations", "[products]") {
  using format::OperationKind;
  format::OperationShape s;
  s.batch = 2, s.groups = 4, s.m = 8, s.n = 5, s.k = 12, s.l = 7, s.window = 9;
  const auto flops = [&](OperationKind kind) {
    s.operation = kind;
    return static_cast<std::uint64_t>(flops_of(s));
  };
  // 2 images x 8 output channels x 12/4 input channels x 5 points x 9 filter points, twice.
  CHECK(flops(OperationKind::kConvForward) == 2 * 2 * 8 * 3 * 5 * 9);
  CHECK(flops(OperationKind::kConvData) == 2 * 2 * 8 * 3 * 5 * 9);
  CHECK(flops(OperationKind::kConvFilter) == 2 * 2 * 8 * 3 * 5 * 9);
  CHECK(flops(OperationKind::kMatmul) == 2 * 2 * 8 * 5 * 12);
  // 2 sequences x 4 heads x 8 x 5 scores: of 12 dimensions, and 7 of the values.
  CHECK(flops(OperationKind::kAttentionForward) == 2 * (2 * 4 * 8 * 5) * (12 + 7));
  CHECK(flops(OperationKind::kAttentionBackward) == 2 * (2 * 4 * 8 * 5) * (3 * 12 + 2 * 7));
  CHECK(flops(OperationKind::kRnnForward) == 2 * 5 * 12);  // tokens x weights
  CHECK(flops(OperationKind::kOther) == 0);
  CHECK(is_exact(s));
  s.flags = format::kOperationRagged;
  CHECK_FALSE(is_exact(s));
  CHECK_FALSE(is_exact(format::OperationShape{}));
}

TEST_CASE("batches multiply, unknown shapes count nothing", "[analyzer]") {
  GemmShape s = shape(ProductKind::kGemm, 2, 3, 5);
  s.batch = 7;
  CHECK(flops_of(s) == 420);
  s.flags = format::kShapeUnknown;
  CHECK(flops_of(s) == 0);
}

TEST_CASE("FLOPs exceed 64 bits without wrapping", "[analyzer]") {
  const Flops flops = flops_of(shape(ProductKind::kGemm, 1u << 30, 1u << 30, 1u << 30));
  CHECK(static_cast<double>(flops) == 0x1p91);
}

TEST_CASE("single precision runs on the units that it was allowed to", "[analyzer]") {
  GemmShape s = shape(ProductKind::kGemm, 1, 1, 1);
  CHECK(effective_dtype(s) == DType::kF32);
  s.compute = 77;  // CUBLAS_COMPUTE_32F_FAST_TF32
  CHECK(effective_dtype(s) == DType::kTf32);
  s.compute = 74;  // ..._FAST_16F
  CHECK(effective_dtype(s) == DType::kF16);
  s.compute = 75;  // ..._FAST_16BF
  CHECK(effective_dtype(s) == DType::kBf16);
  s.compute = 68;   // CUBLAS_COMPUTE_32F
  s.math_mode = 3;  // CUBLAS_TF32_TENSOR_OP_MATH
  CHECK(effective_dtype(s) == DType::kTf32);
  s.math_mode = 3 | 16;  // | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION
  CHECK(effective_dtype(s) == DType::kTf32);
  s.compute = 69;  // ..._32F_PEDANTIC
  CHECK(effective_dtype(s) == DType::kF32);
  s.a = DType::kBf16;
  CHECK(effective_dtype(s) == DType::kBf16);
}

}  // namespace mfushim::passes
