// What collectives do with the data itself.
#pragma once

#include <vector>

#include "operation.hpp"

namespace mfusim::nccl {

// Leaves in operation.receive what this rank gets, from what each rank contributed. Sums run in
// rank order on every rank, so that all get the same bits.
void deliver(const Operation& operation, int rank, const std::vector<const char*>& contributions);

}  // namespace mfusim::nccl
