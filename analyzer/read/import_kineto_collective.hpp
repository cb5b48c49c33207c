// Collectives from what PyTorch's profiler tells of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "mfushim/format/records.hpp"
#include "read/import_kineto_rows.hpp"

namespace mfushim::read {

// The process of the trace among those of its job; -1: not told.
struct ProcessInJob {
  std::int64_t rank = -1;
  std::int64_t world_size = -1;
};

struct CollectiveCall {
  format::CollectiveShape shape;  // its communicator is still to be set
  format::Communicator communicator;
};

// "record_param_comms" (with all arguments since PyTorch 2.3) and "nccl:..." (with input sizes).
bool may_be_collective(std::string_view name);

// Empty when the row does not tell which collective it is. Texts are views into `arguments`.
std::optional<CollectiveCall> collective_call(std::string_view name,
                                              const OperatorArguments& arguments,
                                              const ProcessInJob& process);

}  // namespace mfushim::read
