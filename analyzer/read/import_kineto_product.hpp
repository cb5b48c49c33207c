// Shapes of matrix products from the inputs of the framework's operators.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "mfushim/format/records.hpp"
#include "read/import_kineto_names.hpp"
#include "read/import_kineto_rows.hpp"

namespace mfushim::read {

struct OperatorInput {
  std::optional<std::vector<std::uint64_t>> sizes, strides;
  format::DType type = format::DType::kUnknown;
};

// The first three inputs: no product or convolution has its factors behind them.
using OperatorInputs = std::array<OperatorInput, 3>;
OperatorInputs read_inputs(const OperatorArguments& arguments);

// Column-major, as cuBLAS is asked: PyTorch's row-major C = A B is there C' = B' A'. Empty when the
// trace does not tell the shapes (it was recorded without), or tells ones that do not fit.
std::optional<format::GemmShape> product_shape(const ProductOperator& product,
                                               const OperatorArguments& arguments);

// Sizes of one array of numbers, as in "[4, 8]"; empty where an element is none.
std::optional<std::vector<std::uint64_t>> read_sizes(JsonCursor& cursor);

}  // namespace mfushim::read
