// The sections of the text report behind the answer: launches to trust.
#pragma once

#include <string>

#include "passes/analysis.hpp"

namespace mfushim::report {

void print_launches(std::string& out, const passes::Analysis& a);
void print_overlap(std::string& out, const passes::Analysis& a);
void print_collectives(std::string& out, const passes::Analysis& a);
void print_products(std::string& out, const passes::Analysis& a);
void print_rooflines(std::string& out, const passes::Analysis& a);
void print_kernels(std::string& out, const passes::Analysis& a);
void print_trust(std::string& out, const passes::Analysis& a);

}  // namespace mfushim::report
