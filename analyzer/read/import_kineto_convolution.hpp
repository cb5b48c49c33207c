// Shapes of convolutions from the inputs of the framework's operators.
#pragma once

#include <string_view>
#include <vector>

#include "mfushim/format/records.hpp"
#include "read/import_kineto_rows.hpp"

namespace mfushim::read {

// Whether this operator convolves itself, forward or backward, for all the library's own operators
// inside of it.
bool is_convolution(std::string_view name);

// What it computes: backward up to two gradients. Empty when the trace does not tell the sizes, and
// of transposed convolutions.
std::vector<format::OperationShape> convolution_shapes(std::string_view name,
                                                       const OperatorArguments& arguments);

}  // namespace mfushim::read
