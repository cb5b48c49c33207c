// Ordered rules on the words of a name, for kernels that no grammar covers.
#pragma once

#include <string_view>

#include "knowledge/kernels/name.hpp"

namespace mfushim::knowledge {

// The class of the first rule of kernel_classes.csv that fits, or empty.
std::string_view class_by_rules(const KernelNameParts& name);

}  // namespace mfushim::knowledge
