// The explanation of a doubtful MFU, for reports of logs and of calculations alike.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "knowledge/doubts.hpp"
#include "report/json_values.hpp"

namespace mfushim::report {

// What the number is: impossible, higher, or lower than usual.
std::string_view verdict_of(double mfu);

Json causes_json(const std::vector<knowledge::Cause>& causes);

// Those that explain first, each with the number that would result, under these headings.
void print_causes(std::string& out, const std::vector<knowledge::Cause>& causes,
                  std::string_view explained, std::string_view unexplained);

}  // namespace mfushim::report
