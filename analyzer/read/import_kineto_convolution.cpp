// The sizes of tensors stand in "Input Dims", strides, paddings and what is asked for in "Concrete
// Inputs".
#include "read/import_kineto_convolution.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "read/import_kineto_product.hpp"

namespace mfushim::read {

namespace {

using format::OperationKind;
using Extents = std::vector<std::uint64_t>;

constexpr std::int64_t kMostPoints = std::int64_t{1} << 40;  // no stride or padding has it
constexpr std::string_view kForward = "aten::convolution";
constexpr std::string_view kBackward = "aten::convolution_backward";

// Places in "Concrete Inputs": (input, weight, bias, stride, padding, dilation, transposed, output
// padding, groups), and (gradient, input, weight, sizes of bias, stride, padding, dilation,
// transposed, output padding, groups, mask of what is wanted).
struct Places {
  std::size_t input, weight, stride, padding, dilation, transposed, groups, mask;
};
constexpr Places kForwardPlaces = {0, 1, 3, 4, 5, 6, 8, 0};
constexpr Places kBackwardPlaces = {1, 2, 4, 5, 6, 7, 9, 10};

std::vector<std::string> texts_of(std::string_view list) {
  std::vector<std::string> texts;
  if (!list.starts_with('[')) return texts;
  JsonCursor cursor(list);
  for_each_element(cursor, [&](JsonCursor& c) { texts.emplace_back(c.text()); });
  return texts;
}

// "[2, 2]", which stands in a string of its own and need not be well formed.
std::optional<Extents> sizes_in(std::string_view text) {
  if (!text.starts_with('[') || !text.ends_with(']')) return std::nullopt;
  Extents sizes;
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const auto size = to_integer(text.substr(0, comma));
    if (!size || *size < 0 || *size > kMostPoints) return std::nullopt;
    sizes.push_back(static_cast<std::uint64_t>(*size));
    text.remove_prefix(std::min(text.size(), comma + 1));
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  return sizes;
}

// One for each dimension, or the same for all.
std::optional<std::uint64_t> at_dimension(const std::optional<Extents>& sizes, std::size_t i) {
  if (!sizes || sizes->empty()) return std::nullopt;
  if (sizes->size() == 1) return sizes->front();
  return i < sizes->size() ? std::optional((*sizes)[i]) : std::nullopt;
}

// Points of the result along one dimension.
std::optional<std::uint64_t> points(std::uint64_t input, std::uint64_t window,
                                    std::optional<std::uint64_t> stride,
                                    std::optional<std::uint64_t> padding,
                                    std::optional<std::uint64_t> dilation) {
  if (!stride || !padding || !dilation || *stride == 0 || window == 0) return std::nullopt;
  const std::uint64_t reach = *dilation * (window - 1) + 1;
  const std::uint64_t padded = input + 2 * *padding;
  if (padded < reach) return std::nullopt;
  return (padded - reach) / *stride + 1;
}

std::optional<format::OperationShape> forward_shape(const OperatorInputs& inputs,
                                                    const std::vector<std::string>& concrete,
                                                    const Places& at) {
  const auto& input = inputs[at.input].sizes;
  const auto& weight = inputs[at.weight].sizes;
  if (!input || !weight || input->size() < 3 || input->size() != weight->size())
    return std::nullopt;
  const auto groups = to_integer(concrete[at.groups]);
  if (concrete[at.transposed] != "False" || !groups || *groups <= 0) return std::nullopt;
  const auto stride = sizes_in(concrete[at.stride]);
  const auto padding = sizes_in(concrete[at.padding]);
  const auto dilation = sizes_in(concrete[at.dilation]);
  format::OperationShape shape;
  shape.operation = OperationKind::kConvForward;
  shape.batch = (*input)[0];
  shape.k = (*input)[1];
  shape.m = (*weight)[0];
  shape.groups = static_cast<std::uint64_t>(*groups);
  shape.dtype = inputs[at.input].type;
  shape.n = shape.window = 1;
  for (std::size_t i = 2; i < input->size(); ++i) {
    const auto out = points((*input)[i], (*weight)[i], at_dimension(stride, i - 2),
                            at_dimension(padding, i - 2), at_dimension(dilation, i - 2));
    if (!out) return std::nullopt;
    shape.n *= *out;
    shape.window *= (*weight)[i];
  }
  return shape;
}

}  // namespace

bool is_convolution(std::string_view name) {
  return name == kForward || name == kBackward;
}

std::vector<format::OperationShape> convolution_shapes(std::string_view name,
                                                       const OperatorArguments& arguments) {
  const bool backward = name == kBackward;
  const Places& at = backward ? kBackwardPlaces : kForwardPlaces;
  const std::vector<std::string> concrete = texts_of(arguments.concrete);
  if (concrete.size() <= std::max(at.groups, at.mask)) return {};
  const auto forward = forward_shape(read_inputs(arguments), concrete, at);
  if (!forward) return {};
  if (!backward) return {*forward};
  const std::string& mask = concrete[at.mask];  // "[True, True, False]": input, weight, bias
  std::vector<format::OperationShape> shapes;
  if (mask.starts_with("[True")) {
    shapes.push_back(*forward);
    shapes.back().operation = OperationKind::kConvData;
  }
  if (const auto next = mask.find(", "); next != mask.npos && mask.find("True", next) == next + 2) {
    shapes.push_back(*forward);
    shapes.back().operation = OperationKind::kConvFilter;
  }
  return shapes;
}

}  // namespace mfushim::read
