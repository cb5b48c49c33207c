// Events: markers on a stream's timeline.
#include <algorithm>

#include "api_call.hpp"
#include "capture.hpp"
#include "device_clock.hpp"
#include "driver_impl.hpp"
#include "report.hpp"

namespace mfusim {
namespace {

uint32_t g_next_event = 1;

CUresult record(CUevent event_handle, CUstream stream_handle, unsigned int flags) {
  MFUSIM_NEED_CONTEXT(context);
  const auto event = events().share(event_handle);
  if (!event) return CUDA_ERROR_INVALID_HANDLE;
  MFUSIM_NEED_STREAM(stream, stream_handle);
  if (CUresult bad = capture_conflict(*stream)) return bad;
  if (stream->capture) {
    if (flags & CU_EVENT_RECORD_EXTERNAL)
      return capture_operation(*stream, operation(EventRecordOp{event}));
    event->capture = stream->capture;
    event->nodes = stream->frontier;
    return CUDA_SUCCESS;
  }
  event->capture.reset();
  event->nodes.clear();
  event->recorded = true;
  return issue(*stream, operation(EmptyOp{}), &event->at);
}

// For queries and waits: NULL handle and captured events are errors.
CUresult usable(const Event* event) {
  if (!event) return CUDA_ERROR_INVALID_HANDLE;
  if (!event->capture) return refuse_unsafe(nullptr);
  if (!event->capture->ended) event->capture->invalidated = true;
  return CUDA_ERROR_CAPTURED_EVENT;
}

CUresult elapsed(float* milliseconds, CUevent start_handle, CUevent end_handle) {
  Lock lock;
  const Event* start = events().find(start_handle);
  const Event* end = events().find(end_handle);
  if (!milliseconds) return CUDA_ERROR_INVALID_VALUE;
  for (const Event* event : {start, end}) {
    if (CUresult bad = usable(event)) return bad;
    if (!event->recorded || event->flags & CU_EVENT_DISABLE_TIMING)
      return CUDA_ERROR_INVALID_HANDLE;
    if (!finished(event->at)) return CUDA_ERROR_NOT_READY;
  }
  *milliseconds = float(double(int64_t(end->at->end - start->at->end)) * 1e-6);
  return CUDA_SUCCESS;
}

}  // namespace

Handles<Event, CUevent>& events() {
  static auto* table = new Handles<Event, CUevent>;
  return *table;
}

CUresult impl_cuEventCreate(CUevent* out, unsigned int flags) {
  MFUSIM_NEED_CONTEXT(context);
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  auto event = std::make_shared<Event>();
  event->id = g_next_event++;
  event->flags = flags;
  event->context = context->id;
  *out = events().insert(std::move(event));
  return CUDA_SUCCESS;
}

CUresult impl_cuEventDestroy_v2(CUevent handle) {
  Lock lock;
  return events().erase(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult impl_cuEventRecord(CUevent event, CUstream stream) {
  return record(event, stream, 0);
}
CUresult impl_cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags) {
  return record(event, stream, flags);
}

CUresult impl_cuEventQuery(CUevent handle) {
  Lock lock;
  const Event* event = events().find(handle);
  if (CUresult bad = usable(event)) return bad;
  return finished(event->at) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult impl_cuEventSynchronize(CUevent handle) {
  Lock lock;
  const auto event = events().share(handle);
  if (CUresult bad = usable(event.get())) return bad;
  MfusimSync sync{MFUSIM_SYNC_EVENT, event->context, 0, current_correlation(),
                  event->id,         now_ns(),       0};
  wait_for(lock, WorkPtr(event->at));
  sync.end_ns = now_ns();
  report_sync(sync);
  return CUDA_SUCCESS;
}

CUresult impl_cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  return elapsed(milliseconds, start, end);
}
#if CUDA_VERSION >= 12080
CUresult impl_cuEventElapsedTime_v2(float* milliseconds, CUevent start, CUevent end) {
  return elapsed(milliseconds, start, end);
}
#endif

}  // namespace mfusim
