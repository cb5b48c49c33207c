// The FLOP formulas (a multiply and an add are two) and cuBLAS's compute types.
#include "passes/flops.hpp"

#include "knowledge/compute_types.hpp"
#include "knowledge/dtypes.hpp"

namespace mfushim::passes {

namespace {

using format::DType;
using format::ProductKind;
using enum knowledge::ComputeType;

constexpr std::uint32_t kMathModeMask = 0xf;  // below the flag bits of cublasMath_t
constexpr std::uint32_t kMathTf32 = 3;        // CUBLAS_TF32_TENSOR_OP_MATH

}  // namespace

Flops flops_of(const format::GemmShape& shape) {
  if (shape.flags & format::kShapeUnknown) return 0;
  const Flops m = shape.m;
  const Flops n = shape.n;
  const Flops k = shape.k;
  const bool right = (shape.flags & format::kShapeSideRight) != 0;
  Flops real = 0;
  switch (shape.product) {
    case ProductKind::kGemm:
    case ProductKind::kGemm3m:
      real = 2 * m * n * k;
      break;
    case ProductKind::kSyrk:
    case ProductKind::kHerk:
    case ProductKind::kSyrkx:
    case ProductKind::kHerkx:
      real = k * n * (n + 1);
      break;
    case ProductKind::kSyr2k:
    case ProductKind::kHer2k:
      real = 2 * k * n * (n + 1);
      break;
    case ProductKind::kSymm:
    case ProductKind::kHemm:
      real = right ? 2 * m * n * n : 2 * m * m * n;
      break;
    case ProductKind::kTrmm:
    case ProductKind::kTrsm:
      real = right ? m * n * n : m * m * n;
      break;
    case ProductKind::kGemv:
      real = 2 * m * n;
      break;
  }
  return real * shape.batch * (knowledge::is_complex(shape.a) ? 4 : 1);
}

Flops executed_flops_of(const format::GemmShape& shape) {
  const bool three = shape.product == ProductKind::kGemm3m || (shape.flags & format::kShape3m) != 0;
  return three ? flops_of(shape) / 4 * 3 : flops_of(shape);
}

Flops flops_of(const format::OperationShape& s) {
  using format::OperationKind;
  const Flops each = 2 * Flops{s.batch} * s.n;
  switch (s.operation) {
    case OperationKind::kConvForward:
    case OperationKind::kConvData:
    case OperationKind::kConvFilter:
      return s.groups != 0 ? each * s.m * (s.k / s.groups) * s.window : 0;
    case OperationKind::kMatmul:
      return each * s.m * s.k;
    case OperationKind::kAttentionForward:
      return each * s.groups * s.m * (s.k + s.l);
    case OperationKind::kAttentionBackward:
      return each * s.groups * s.m * (3 * s.k + 2 * s.l);
    case OperationKind::kRnnForward:
    case OperationKind::kRnnData:
    case OperationKind::kRnnWeights:
      return 2 * Flops{s.n} * s.k;
    case OperationKind::kUnknown:
    case OperationKind::kOther:
      break;
  }
  return 0;
}

Flops needed_flops_of(const format::OperationShape& s) {
  const bool again = s.operation == format::OperationKind::kAttentionBackward;
  return flops_of(s) - (again ? 2 * Flops{s.batch} * s.n * s.groups * s.m * s.k : 0);
}

bool is_attention(const format::OperationShape& shape) {
  return shape.operation == format::OperationKind::kAttentionForward ||
         shape.operation == format::OperationKind::kAttentionBackward;
}

bool is_exact(const format::OperationShape& shape) {
  return shape.flags == 0 && shape.operation != format::OperationKind::kUnknown;
}

DType effective_dtype(const format::GemmShape& shape) {
  if (shape.a != DType::kF32) return shape.a;
  switch (shape.compute) {
    case kCompute32FFast16F:
      return DType::kF16;
    case kCompute32FFast16BF:
      return DType::kBf16;
    case kCompute32FFastTF32:
      return DType::kTf32;
    case kCompute32FPedantic:
      return DType::kF32;
    default:
      break;
  }
  return (shape.math_mode & kMathModeMask) == kMathTf32 ? DType::kTf32 : DType::kF32;
}

const char* compute_type_name(std::int32_t compute) {
  switch (compute) {
    case kCompute16F:
      return "16F";
    case kCompute16FPedantic:
      return "16F_PEDANTIC";
    case kCompute32F:
      return "32F";
    case kCompute32FPedantic:
      return "32F_PEDANTIC";
    case kCompute64F:
      return "64F";
    case kCompute64FPedantic:
      return "64F_PEDANTIC";
    case kCompute32I:
      return "32I";
    case kCompute32IPedantic:
      return "32I_PEDANTIC";
    case kCompute32FFast16F:
      return "32F_FAST_16F";
    case kCompute32FFast16BF:
      return "32F_FAST_16BF";
    case kCompute32FFastTF32:
      return "32F_FAST_TF32";
    case kCompute32FEmulated16BFX9:
      return "32F_EMULATED_16BFX9";
    case kCompute64FEmulatedFixedpoint:
      return "64F_EMULATED_FIXEDPOINT";
    default:
      return "";
  }
}

}  // namespace mfushim::passes
