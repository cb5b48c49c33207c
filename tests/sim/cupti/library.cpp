// What the library says of itself: version, error texts, ids.
#include <cstdio>

#include "callback_names.hpp"
#include "layout.hpp"
#include "state.hpp"

namespace mfusim::cupti {
namespace {

struct Named {
  int value;
  const char* name;
};
constexpr Named kResults[] = {
#include "cupti_results.inc"
};
constexpr Named kDriverCalls[] = {
#include "driver_callbacks.inc"
};
constexpr Named kRuntimeCalls[] = {
#include "runtime_callbacks.inc"
};

template <size_t N>
const char* find(const Named (&table)[N], int value) {
  for (const Named& row : table) {
    if (row.value == value) return row.name;
  }
  return nullptr;
}

}  // namespace

const char* callback_name(bool driver, uint32_t cbid) {
  return driver ? find(kDriverCalls, int(cbid)) : find(kRuntimeCalls, int(cbid));
}

}  // namespace mfusim::cupti

using namespace mfusim::cupti;

extern "C" {

CUptiResult cuptiGetVersion(uint32_t* version) {
  if (!version) return CUPTI_ERROR_INVALID_PARAMETER;
  *version = other_layout() ? other_layout()->api_version : CUPTI_API_VERSION;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  if (!text) return CUPTI_ERROR_INVALID_PARAMETER;
  *text = find(kResults, int(result));
  return *text ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}
CUptiResult cuptiGetErrorMessage(CUptiResult result, const char** text) {
  return cuptiGetResultString(result, text);
}

}  // extern "C"

namespace {
template <typename Id>
CUptiResult give_id(Id* out, MfusimHandleKind kind, void* handle) {
  const uint64_t id = id_of(kind, handle);
  if (!out || id == 0) return CUPTI_ERROR_INVALID_PARAMETER;
  *out = Id(id);
  return CUPTI_SUCCESS;
}
}  // namespace

extern "C" {

CUptiResult cuptiGetContextId(CUcontext context, uint32_t* id) {
  return give_id(id, MFUSIM_CONTEXT, context);
}
CUptiResult cuptiGetStreamIdEx(CUcontext, CUstream stream, uint8_t, uint32_t* id) {
  return give_id(id, MFUSIM_STREAM, stream);
}
CUptiResult cuptiGetGraphId(CUgraph graph, uint32_t* id) {
  return give_id(id, MFUSIM_GRAPH_HANDLE, graph);
}
CUptiResult cuptiGetGraphExecId(CUgraphExec exec, uint32_t* id) {
  return give_id(id, MFUSIM_GRAPH_EXEC, exec);
}
CUptiResult cuptiGetGraphNodeId(CUgraphNode node, uint64_t* id) {
  return give_id(id, MFUSIM_GRAPH_NODE, node);
}

// Detaches: nothing is recorded until something is enabled again.
CUptiResult cuptiFinalize() {
  for (auto& kind : state().enabled) kind.store(false);
  std::lock_guard lock(state().mutex);
  state().records.clear();
  return CUPTI_SUCCESS;
}

}  // extern "C"
