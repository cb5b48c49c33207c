// What cuDNN's execution plans compute, known from the descriptors that they were made of.
//
// The library gives the operations of a graph back to nobody, so what the program sets is kept
// here: sizes of tensors, tensors of operations, operations of graphs. What is made from a graph
// (engine, heuristic, configuration, plan) has the work of its graph, as long as it lives.
// Descriptors are the program's to guard: only one thread at a time may use one, here as there.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mfushim/format/records.hpp"

namespace mfushim::shim {

// By value of cudnnDataType_t; unknown for those that pack several elements into one.
format::DType cudnn_type(int type) noexcept;

// A descriptor of this cudnnBackendDescriptorType_t was made, or is about to end.
void cudnn_descriptor_made(const void* descriptor, int type) noexcept;
void cudnn_descriptor_ends(const void* descriptor) noexcept;

// The program set an attribute, `count` elements of this cudnnBackendAttributeType_t.
void cudnn_attribute_set(const void* descriptor, int name, int type, std::int64_t count,
                         const void* elements) noexcept;

// The library filled these descriptors with what `descriptor` is about.
void cudnn_descriptors_given(const void* descriptor, const void* const* filled,
                             std::size_t count) noexcept;

// The id in the log of the n-th product of a plan, from 0; 0: there is no such. The first is always
// there, be it that the work is unknown or has no product in it.
std::uint32_t cudnn_plan_part(const void* plan, const void* pack, std::uint32_t n) noexcept;

// The id of an operation; `shape.id` is ignored.
std::uint32_t operation_id(const format::OperationShape& shape) noexcept;

}  // namespace mfushim::shim
