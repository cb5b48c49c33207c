// From a launch call's arguments to a kernel operation; shared with graph kernel nodes.
#pragma once
#include "modules.hpp"
#include "operations.hpp"

namespace mfusim {

// Fails on an unknown function, an impossible geometry, or arguments that the kernel needs and did
// not get.
CUresult make_kernel_op(KernelOp& op, const void* function, const uint32_t (&grid)[3],
                        const uint32_t (&block)[3], uint32_t shared_bytes, void** arguments);

}  // namespace mfusim
