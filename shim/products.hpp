// What the hooks of cuBLAS and cuBLASLt share: element types, and shapes as ids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "mfushim/format/enums.hpp"
#include "mfushim/format/records.hpp"

namespace mfushim::shim {

// By value of cudaDataType_t; the hooks check some of them against the vendor's header.
inline constexpr format::DType kElementTypes[] = {
    format::DType::kF32,    format::DType::kF64,    format::DType::kF16,    format::DType::kI8,
    format::DType::kC32,    format::DType::kC64,    format::DType::kC16,    format::DType::kCI8,
    format::DType::kU8,     format::DType::kCU8,    format::DType::kI32,    format::DType::kCI32,
    format::DType::kU32,    format::DType::kCU32,   format::DType::kBf16,   format::DType::kCBf16,
    format::DType::kI4,     format::DType::kCI4,    format::DType::kU4,     format::DType::kCU4,
    format::DType::kI16,    format::DType::kCI16,   format::DType::kU16,    format::DType::kCU16,
    format::DType::kI64,    format::DType::kCI64,   format::DType::kU64,    format::DType::kCU64,
    format::DType::kF8E4M3, format::DType::kF8E5M2, format::DType::kF8E8M0, format::DType::kF6E2M3,
    format::DType::kF6E3M2, format::DType::kF4E2M1};

constexpr format::DType element_type(std::uint32_t cuda_data_type) {
  return cuda_data_type < std::size(kElementTypes) ? kElementTypes[cuda_data_type]
                                                   : format::DType::kUnknown;
}

// By value of cublasOperation_t: N, T, C.
constexpr format::Transpose transpose(int operation) {
  return operation == 1   ? format::Transpose::kTranspose
         : operation == 2 ? format::Transpose::kConjugate
                          : format::Transpose::kNone;
}

// The id of a shape; `shape.id` is ignored.
std::uint32_t shape_id(const format::GemmShape& shape) noexcept;

}  // namespace mfushim::shim
