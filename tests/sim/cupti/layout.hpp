// The record layouts of other CUPTIs than that of the headers.
#pragma once
#include <cupti.h>

#include <cstddef>
#include <cstdint>

namespace mfusim::cupti {

// What MFUSIM_CUPTI_LAYOUT names (11.8 | 12.9 | 13.0 | 13.5) differs in. Each family of structs
// only grows at its tail, so a layout is a size.
struct Layout {
  const char* name;
  uint32_t api_version;
  size_t kernel, copy, set, graph, synchronization, overhead;
};

// Null where the headers' own is wanted.
const Layout* other_layout();

// A record's size in a buffer, whose struct in the headers has `own` bytes.
size_t bytes_in_layout(CUpti_ActivityKind kind, size_t own);

}  // namespace mfusim::cupti
