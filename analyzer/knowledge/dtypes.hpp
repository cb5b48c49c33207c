// Facts about element types and collectives that formulas need.
#pragma once

#include <cstdint>
#include <optional>

#include "mfushim/format/enums.hpp"

namespace mfushim::knowledge {

// Bits of one element; 0 when the type is unknown.
unsigned dtype_bits(format::DType dtype);
bool is_complex(format::DType dtype);

// Bytes that an algorithm moves for `count` elements as the call has them, on `ranks` ranks: the S
// of nccl-tests' algorithm bandwidth S / t. Absent when type, operation or number of ranks is
// unknown.
std::optional<std::uint64_t> collective_bytes(format::CollectiveOp op, format::DType dtype,
                                              std::uint64_t count, std::int32_t ranks);

// Bus bandwidth over algorithm bandwidth, as nccl-tests has it: what a link carries in a ring.
std::optional<double> bus_factor(format::CollectiveOp op, std::int32_t ranks);

}  // namespace mfushim::knowledge
