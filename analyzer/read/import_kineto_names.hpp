// What the names in a Kineto trace mean: calls, products, collectives, element types, copies.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "mfushim/format/enums.hpp"

namespace mfushim::read {

// The record that a call of the CUDA or HIP runtime or driver becomes, by its name: the one that it
// would become if it were intercepted. Empty: none, as for queries and look-ups.
std::optional<format::Kind> call_kind(std::string_view name);

// A matrix product of the framework: which of its inputs are the two factors.
struct ProductOperator {
  std::string_view name;
  std::uint8_t first, second;
  bool adds_input;  // input 0 is added to the product, broadcast when it has fewer dimensions
};
// Empty unless `name` multiplies matrices itself, rather than by another operator of this kind.
const ProductOperator* product_operator(std::string_view name);

// "Collective name" of record_param_comms, or "nccl:..." of a span. Empty: not a collective, as
// "wait" or "barrier".
std::optional<format::CollectiveOp> collective_op(std::string_view name);

// c10's name as in "Input type" ("c10::BFloat16", "float") or in "dtype" ("BFloat16", "Float").
format::DType element_type(std::string_view name);

// By the row's name, "Memcpy HtoD (Pageable -> Device)".
format::CopyKind copy_kind(std::string_view name);

}  // namespace mfushim::read
