// Backend descriptors: a store of attributes by name, whatever they are.
#pragma once

#include <cudnn.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "operation.hpp"

namespace mfusim::cudnn {

struct Content;

struct Value {
  cudnnBackendAttributeType_t type = CUDNN_TYPE_INT64;
  int64_t count = 0;
  std::vector<std::byte> bytes;                        // of all but descriptors
  std::vector<std::shared_ptr<const Content>> others;  // of descriptors: as they were when set
};

struct Content {
  cudnnBackendDescriptorType_t type;
  bool finalized = false;
  std::map<int, Value> values;

  // The only or first value; null where it was never set.
  const Content* other(int attribute) const;
  // Integers of 64 bits; empty where they were never set.
  std::vector<int64_t> integers(int attribute) const;
};

// What a cudnnBackendDescriptor_t points to. Contents outlive it where others refer to them.
struct Descriptor {
  std::shared_ptr<Content> content;
};

// The operations of a plan in the order of its graph; one unknown operation where it has no graph,
// as when it was made from JSON.
std::vector<Operation> operations_of(const Content& plan);

}  // namespace mfusim::cudnn
