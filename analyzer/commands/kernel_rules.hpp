// The option --rules, which tells commands what kernels of the user's own are.
#pragma once

#include <optional>
#include <string>

#include "knowledge/kernels/user_rules.hpp"

namespace mfushim::commands {

inline constexpr const char* kKernelRulesHelp =
    "a file of rules for kernels: class, pattern and FLOPs (docs/kernels.md)";

// Absent for an empty path. Throws FormatError that names the line.
std::optional<knowledge::UserRules> read_kernel_rules(const std::string& path);

}  // namespace mfushim::commands
