// What kind of work a kernel is, by its name: rules from kernel_classes.csv.
#pragma once

#include <string>
#include <string_view>

namespace mfushim::knowledge {

inline constexpr std::string_view kCommunicationClass = "comm";

// The name as people read it: demangled where it is mangled, else as it is.
std::string demangle(const std::string& name);

// Class of a demangled name; empty when no rule fits.
std::string_view kernel_class(std::string_view demangled);

// The work is (mostly) matrix products, whose FLOPs a recorded call has to tell.
bool is_product_class(std::string_view kernel_class);

}  // namespace mfushim::knowledge
