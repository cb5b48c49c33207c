// The activity interface's switches.
#include <cstring>

#include "state.hpp"

using namespace mfusim::cupti;

namespace {

CUptiResult set_kind(CUpti_ActivityKind kind, bool on) {
  if (kind <= CUPTI_ACTIVITY_KIND_INVALID || size_t(kind) >= kKinds)
    return CUPTI_ERROR_INVALID_KIND;
  if (misbehaviour().refusal == CUPTI_ERROR_UNKNOWN) return CUPTI_ERROR_UNKNOWN;
  if (on) {
    if (CUptiResult bad = attach()) return bad;
  }
  State& s = state();
  if (on && !s.enabled[size_t(kind)].load()) {
    s.first_correlation[size_t(kind)].store(0);
    s.last_correlation[size_t(kind)].store(UINT32_MAX);
  }
  if (!on) s.last_correlation[size_t(kind)].store(s.newest_correlation.load());
  s.enabled[size_t(kind)].store(on);
  if (on) s.newly_enabled.store(true);
  return CUPTI_SUCCESS;
}

CUptiResult set_call(std::set<uint32_t>& only, std::set<uint32_t>& without, uint32_t cbid,
                     bool on) {
  if (misbehaviour().refusal == CUPTI_ERROR_UNKNOWN) return CUPTI_ERROR_UNKNOWN;
  if (CUptiResult bad = attach()) return bad;
  std::lock_guard lock(state().mutex);
  (on ? only : without).insert(cbid);
  (on ? without : only).erase(cbid);
  return CUPTI_SUCCESS;
}

}  // namespace

extern "C" {

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  return set_kind(kind, true);
}
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  return set_kind(kind, false);
}
CUptiResult cuptiActivityEnableContext(CUcontext, CUpti_ActivityKind kind) {
  return set_kind(kind, true);
}
CUptiResult cuptiActivityDisableContext(CUcontext, CUpti_ActivityKind kind) {
  return set_kind(kind, false);
}
CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId cbid, uint8_t on) {
  return set_call(state().driver_only, state().driver_without, cbid, on);
}
CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId cbid, uint8_t on) {
  return set_call(state().runtime_only, state().runtime_without, cbid, on);
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
  if (!request || !complete) return CUPTI_ERROR_INVALID_PARAMETER;
  if (misbehaviour().refusal == CUPTI_ERROR_UNKNOWN) return CUPTI_ERROR_UNKNOWN;
  std::lock_guard lock(state().mutex);
  state().request = request;
  state().complete = complete;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushAll(uint32_t flag) {
  deliver(flag & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityFlush(CUcontext, uint32_t, uint32_t flag) {
  return cuptiActivityFlushAll(flag);
}

CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid, CUpti_Activity** record) {
  if (!buffer || !record) return CUPTI_ERROR_INVALID_PARAMETER;
  size_t at = 0;
  if (*record) {
    CUpti_ActivityKind kind;
    memcpy(&kind, *record, sizeof kind);
    const size_t bytes = record_bytes(kind);
    if (bytes == 0) return CUPTI_ERROR_INVALID_KIND;
    at = size_t(reinterpret_cast<uint8_t*>(*record) - buffer) + bytes;
  }
  if (at >= valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(buffer + at);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t* dropped) {
  if (!dropped) return CUPTI_ERROR_INVALID_PARAMETER;
  std::lock_guard lock(state().mutex);
  *dropped = state().dropped;
  state().dropped = 0;
  return CUPTI_SUCCESS;
}

// Buffer sizes and the like: accepted, without effect.
CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute, size_t*, void*) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetAttribute(CUpti_ActivityAttribute, size_t* bytes, void* value) {
  if (!bytes || !value) return CUPTI_ERROR_INVALID_PARAMETER;
  memset(value, 0, *bytes);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnableLatencyTimestamps(uint8_t) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnableLaunchAttributes(uint8_t) {
  return CUPTI_SUCCESS;
}
// Hardware tracing exists from Blackwell on, and not here.
CUptiResult cuptiActivityEnableHWTrace(uint8_t on) {
  return on ? CUPTI_ERROR_NOT_SUPPORTED : CUPTI_SUCCESS;
}

CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType type) {
  state().system_thread_ids.store(type == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetThreadIdType(CUpti_ActivityThreadIdType* type) {
  *type = state().system_thread_ids.load() ? CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM
                                           : CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT;
  return CUPTI_SUCCESS;
}

}  // extern "C"
