// Streams: their order among each other, waiting for them, and their attributes.
#include "streams.hpp"

#include "api_call.hpp"
#include "capture.hpp"
#include "device_clock.hpp"
#include "driver_impl.hpp"
#include "report.hpp"

namespace mfusim {
namespace {

uint32_t g_next_stream = 13;  // created streams' ids, above those of the default ones
uint32_t g_next_per_thread = 1000;

// The last work of every stream of the context, or of those alone that the legacy stream
// synchronises with.
std::vector<WorkPtr> tails_of(const Context& context, bool blocking_only) {
  std::vector<WorkPtr> tails = context.orphans;
  const auto add = [&](const Stream& stream) {
    if (stream.tail && (stream.blocking() || !blocking_only)) tails.push_back(stream.tail);
  };
  add(*context.legacy);
  for (const auto& [key, stream] : context.per_thread) add(*stream);
  streams().each([&](const Stream& stream) {
    if (stream.context == &context) add(stream);
  });
  return tails;
}

// What a wait for the stream waits for: for the legacy stream, all that it synchronises with.
std::vector<WorkPtr> pending_of(const Stream& stream) {
  return stream.legacy ? tails_of(*stream.context, true) : std::vector<WorkPtr>{stream.tail};
}

CUresult create(CUstream* out, unsigned flags, int priority) {
  MFUSIM_NEED_CONTEXT(context);
  if (!out || flags & ~unsigned(CU_STREAM_NON_BLOCKING)) return CUDA_ERROR_INVALID_VALUE;
  auto stream = std::make_shared<Stream>();
  stream->id = g_next_stream++;
  stream->context = context;
  stream->flags = flags;
  stream->priority = priority;
  *out = streams().insert(std::move(stream));
  return CUDA_SUCCESS;
}

}  // namespace

Handles<Stream, CUstream>& streams() {
  static auto* table = new Handles<Stream, CUstream>;
  return *table;
}

std::shared_ptr<Stream> new_default_stream(Context& context, uint32_t id) {
  auto stream = std::make_shared<Stream>();
  stream->id = id;
  stream->context = &context;
  stream->legacy = id == kLegacyStreamId;
  return stream;
}

void forget_streams(const Context& context) {
  streams().erase_if([&](const Stream& stream) { return stream.context == &context; });
}

Stream* find_stream(CUstream handle) {
  if (handle == nullptr) handle = per_thread_default() ? CU_STREAM_PER_THREAD : CU_STREAM_LEGACY;
  if (handle != CU_STREAM_LEGACY && handle != CU_STREAM_PER_THREAD) return streams().find(handle);
  Context* context = current_context();
  if (!context) return nullptr;
  if (handle == CU_STREAM_LEGACY) return context->legacy.get();
  auto& own = context->per_thread[thread_key()];
  if (!own) own = new_default_stream(*context, g_next_per_thread++);
  return own.get();
}

std::vector<WorkPtr> before_next(const Stream& stream) {
  if (stream.legacy) return tails_of(*stream.context, true);
  std::vector<WorkPtr> before{stream.tail};
  if (stream.blocking()) before.push_back(stream.context->legacy->tail);
  return before;
}

Origin origin_of(const Stream& stream) {
  return {
      uint32_t(stream.context->device), stream.context->id, stream.id, current_correlation(), 0, 0};
}

CUresult issue(Stream& stream, OperationPtr operation, WorkPtr* issued) {
  if (CUresult bad = capture_conflict(stream)) return bad;
  if (stream.capture) return capture_operation(stream, std::move(operation));
  stream.tail = submit(std::move(operation), origin_of(stream), before_next(stream),
                       now_ns() + launch_latency_ns());
  if (issued) *issued = stream.tail;
  return CUDA_SUCCESS;
}

void wait_for_stream(Lock& lock, const Stream& stream) {
  MfusimSync sync{
      MFUSIM_SYNC_STREAM, stream.context->id, stream.id, current_correlation(), 0, now_ns(), 0};
  for (const WorkPtr& work : pending_of(stream)) wait_for(lock, work);
  sync.end_ns = now_ns();
  report_sync(sync);
}

void wait_for_context(Lock& lock, const Context& context) {
  for (const WorkPtr& tail : tails_of(context, false)) wait_for(lock, tail);
}

CUresult impl_cuStreamCreate(CUstream* out, unsigned int flags) {
  return create(out, flags, 0);
}
CUresult impl_cuStreamCreateWithPriority(CUstream* out, unsigned int flags, int priority) {
  return create(out, flags, priority);
}

CUresult impl_cuStreamDestroy_v2(CUstream handle) {
  Lock lock;
  Stream* stream = streams().find(handle);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  abandon_capture(*stream);
  auto& orphans = stream->context->orphans;
  std::erase_if(orphans, finished);
  if (!finished(stream->tail)) orphans.push_back(stream->tail);
  streams().erase(handle);
  return CUDA_SUCCESS;
}

CUresult impl_cuStreamSynchronize(CUstream handle) {
  MFUSIM_NEED_CONTEXT(context);
  MFUSIM_NEED_STREAM(stream, handle);
  if (CUresult bad = refuse_unsafe(stream)) return bad;
  wait_for_stream(lock, *stream);
  return CUDA_SUCCESS;
}

CUresult impl_cuStreamQuery(CUstream handle) {
  MFUSIM_NEED_CONTEXT(context);
  MFUSIM_NEED_STREAM(stream, handle);
  if (CUresult bad = refuse_unsafe(stream)) return bad;
  for (const WorkPtr& work : pending_of(*stream)) {
    if (!finished(work)) return CUDA_ERROR_NOT_READY;
  }
  return CUDA_SUCCESS;
}

CUresult impl_cuCtxSynchronize() {
  MFUSIM_NEED_CONTEXT(context);
  if (CUresult bad = refuse_unsafe(nullptr)) return bad;
  MfusimSync sync{MFUSIM_SYNC_CONTEXT, context->id, 0, current_correlation(), 0, now_ns(), 0};
  wait_for_context(lock, *context);
  sync.end_ns = now_ns();
  report_sync(sync);
  return CUDA_SUCCESS;
}
#if CUDA_VERSION >= 13000
CUresult impl_cuCtxSynchronize_v2(CUcontext handle) {
  Lock lock;
  const Context* context = handle ? contexts().find(handle) : current_context();
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  wait_for_context(lock, *context);
  return CUDA_SUCCESS;
}
#endif

CUresult impl_cuStreamWaitEvent(CUstream handle, CUevent event_handle, unsigned int) {
  MFUSIM_NEED_CONTEXT(context);
  MFUSIM_NEED_STREAM(stream, handle);
  const auto event = events().share(event_handle);
  if (!event) return CUDA_ERROR_INVALID_HANDLE;
  if (event->capture) return join_capture(*stream, *event);
  if (CUresult bad = capture_conflict(*stream)) return bad;
  if (stream->capture) return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
  if (!event->recorded) return CUDA_SUCCESS;
  auto before = before_next(*stream);
  before.push_back(event->at);
  stream->tail = submit(operation(EmptyOp{}), origin_of(*stream), before, 0);
  return CUDA_SUCCESS;
}

namespace {
CUresult add_host_work(CUstream handle, HostOp host) {
  MFUSIM_NEED_CONTEXT(context);
  MFUSIM_NEED_STREAM(stream, handle);
  return issue(*stream, operation(host));
}
}  // namespace

CUresult impl_cuLaunchHostFunc(CUstream handle, CUhostFn function, void* data) {
  if (!function) return CUDA_ERROR_INVALID_VALUE;
  HostOp host;
  host.function = function;
  host.data = data;
  return add_host_work(handle, host);
}

CUresult impl_cuStreamAddCallback(CUstream handle, CUstreamCallback callback, void* data,
                                  unsigned int flags) {
  if (!callback || flags) return CUDA_ERROR_INVALID_VALUE;
  HostOp host;
  host.callback = callback;
  host.data = data;
  host.stream = handle;
  return add_host_work(handle, host);
}

CUresult impl_cuStreamGetFlags(CUstream handle, unsigned int* out) {
  MFUSIM_NEED_CONTEXT(context);
  MFUSIM_NEED_STREAM(stream, handle);
  *out = stream->flags;
  return CUDA_SUCCESS;
}
CUresult impl_cuStreamGetPriority(CUstream handle, int* out) {
  MFUSIM_NEED_CONTEXT(context);
  MFUSIM_NEED_STREAM(stream, handle);
  *out = stream->priority;
  return CUDA_SUCCESS;
}
CUresult impl_cuStreamGetId(CUstream handle, unsigned long long* out) {
  MFUSIM_NEED_CONTEXT(context);
  MFUSIM_NEED_STREAM(stream, handle);
  *out = stream->id;
  return CUDA_SUCCESS;
}
CUresult impl_cuStreamGetCtx(CUstream handle, CUcontext* out) {
  MFUSIM_NEED_CONTEXT(context);
  MFUSIM_NEED_STREAM(stream, handle);
  *out = contexts().handle_of(stream->context);
  return CUDA_SUCCESS;
}
#if CUDA_VERSION >= 12080
CUresult impl_cuStreamGetDevice(CUstream handle, CUdevice* out) {
  MFUSIM_NEED_CONTEXT(context);
  MFUSIM_NEED_STREAM(stream, handle);
  *out = stream->context->device;
  return CUDA_SUCCESS;
}
#endif

// Attributes are accepted and read back as zeros: nothing in the simulator depends on them.
CUresult impl_cuStreamSetAttribute(CUstream handle, CUstreamAttrID, const CUstreamAttrValue*) {
  MFUSIM_NEED_CONTEXT(context);
  MFUSIM_NEED_STREAM(stream, handle);
  return CUDA_SUCCESS;
}
CUresult impl_cuStreamGetAttribute(CUstream handle, CUstreamAttrID, CUstreamAttrValue* out) {
  MFUSIM_NEED_CONTEXT(context);
  MFUSIM_NEED_STREAM(stream, handle);
  *out = {};
  return CUDA_SUCCESS;
}

}  // namespace mfusim
