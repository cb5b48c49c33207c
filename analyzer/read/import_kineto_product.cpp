// Reads "Input Dims" and "Input type" and finds m, n, k and batch in them.
#include "read/import_kineto_product.hpp"

#include <algorithm>
#include <vector>

namespace mfushim::read {

namespace {

using Extents = std::vector<std::uint64_t>;

constexpr std::uint64_t kMaxSize = std::uint64_t{1} << 40;  // of one dimension: no tensor has it
constexpr std::uint32_t kEpilogueBias = 4;                  // CUBLASLT_EPILOGUE_BIAS

// Calls f(cursor, input) for each of them in a list about all inputs.
template <class F>
void for_each_input(std::string_view list, OperatorInputs& inputs, F&& f) {
  if (!list.starts_with('[')) return;
  JsonCursor cursor(list);
  OperatorInput rest;
  std::size_t i = 0;
  for_each_element(cursor, [&](JsonCursor& c) { f(c, i < inputs.size() ? inputs[i++] : rest); });
}

// Whether a row-major matrix lies in memory column by column.
format::Transpose transpose_of(const OperatorInput& input) {
  if (!input.strides || input.strides->size() < 2) return format::Transpose::kNone;
  const Extents& s = *input.strides;
  return s[s.size() - 1] != 1 && s[s.size() - 2] == 1 ? format::Transpose::kTranspose
                                                      : format::Transpose::kNone;
}

// A matrix, or a batch of them, or a vector as a matrix of one column.
struct Matrix {
  std::uint64_t batch = 1, rows = 0, columns = 1;
};

std::optional<Matrix> as_matrix(const std::optional<Extents>& sizes) {
  if (!sizes || sizes->empty() || sizes->size() > 3) return std::nullopt;
  const Extents& s = *sizes;
  if (s.size() == 1) return Matrix{1, s[0], 1};
  if (s.size() == 2) return Matrix{1, s[0], s[1]};
  return Matrix{s[0], s[1], s[2]};
}

}  // namespace

OperatorInputs read_inputs(const OperatorArguments& arguments) {
  OperatorInputs inputs;
  for_each_input(arguments.dimensions, inputs,
                 [](JsonCursor& c, OperatorInput& input) { input.sizes = read_sizes(c); });
  for_each_input(arguments.strides, inputs,
                 [](JsonCursor& c, OperatorInput& input) { input.strides = read_sizes(c); });
  for_each_input(arguments.types, inputs,
                 [](JsonCursor& c, OperatorInput& input) { input.type = element_type(c.text()); });
  return inputs;
}

std::optional<std::vector<std::uint64_t>> read_sizes(JsonCursor& cursor) {
  if (cursor.peek() != '[') return cursor.value(), std::nullopt;
  Extents sizes;
  bool good = true;
  for_each_element(cursor, [&](JsonCursor& c) {
    const auto size = to_integer(c.text());
    good = good && size && *size >= 0 && static_cast<std::uint64_t>(*size) < kMaxSize;
    if (good) sizes.push_back(static_cast<std::uint64_t>(*size));
  });
  return good ? std::optional(std::move(sizes)) : std::nullopt;
}

std::optional<format::GemmShape> product_shape(const ProductOperator& product,
                                               const OperatorArguments& arguments) {
  const auto inputs = read_inputs(arguments);
  const OperatorInput& left = inputs[product.first];
  const OperatorInput& right = inputs[product.second];
  const auto a = as_matrix(left.sizes);
  const auto b = as_matrix(right.sizes);
  if (!a || !b || a->columns != b->rows || a->batch != b->batch) return std::nullopt;
  format::GemmShape shape;
  shape.m = b->columns;
  shape.n = a->rows;
  shape.k = a->columns;
  shape.batch = a->batch;
  shape.trans_a = transpose_of(right);
  shape.trans_b = transpose_of(left);
  shape.a = right.type;
  shape.b = left.type;
  shape.c = shape.d = product.adds_input ? inputs[0].type : left.type;
  // One row added to all: what a library does as a bias behind the product.
  if (product.adds_input && inputs[0].sizes && inputs[0].sizes->size() == 1 && shape.n > 1)
    shape.epilogue = kEpilogueBias;
  return shape;
}

}  // namespace mfushim::read
