// Sizes of the structs that each CUPTI fills; see layout.hpp.
#include "layout.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace mfusim::cupti {
namespace {

// CUPTI_API_VERSION and sizeof of each family's newest struct, by the vendor's headers.
constexpr Layout kLayouts[] = {
    {"11.8", 18, 200, 88, 88, 48, 40, 40},
    {"12.9", 28, 208, 96, 88, 56, 56, 56},
    {"13.0", 130001, 216, 96, 88, 56, 56, 56},
    {"13.5", 130500, 248, 112, 104, 56, 56, 56},
};

const Layout* read_layout() {
  const char* name = getenv("MFUSIM_CUPTI_LAYOUT");
  if (!name || !*name) return nullptr;
  for (const Layout& layout : kLayouts) {
    if (strcmp(layout.name, name) == 0) return &layout;
  }
  fprintf(stderr, "mfusim: unknown MFUSIM_CUPTI_LAYOUT=%s\n", name);
  return nullptr;
}

}  // namespace

const Layout* other_layout() {
  static const Layout* const layout = read_layout();
  return layout;
}

size_t bytes_in_layout(CUpti_ActivityKind kind, size_t own) {
  const Layout* const layout = other_layout();
  if (!layout) return own;
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return layout->kernel;
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return layout->copy;
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return layout->set;
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return layout->graph;
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return layout->synchronization;
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return layout->overhead;
    default:
      return own;
  }
}

}  // namespace mfusim::cupti
