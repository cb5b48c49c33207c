// Contexts: primary ones and created ones, and each thread's stack of them.
#include "contexts.hpp"

#include <atomic>

#include "api_call.hpp"
#include "driver_impl.hpp"
#include "gpu_model.hpp"
#include "streams.hpp"

namespace mfusim {
namespace {

struct Current {
  CUcontext handle;
  uint32_t id;
};
thread_local std::vector<Current> t_stack;

uint32_t g_next_id = 1;

struct Primary {
  CUcontext handle = nullptr;
  unsigned retained = 0;
  unsigned flags = 0;
};
std::map<int, Primary>& primaries() {
  static auto* map = new std::map<int, Primary>;
  return *map;
}

CUcontext new_context(int device, unsigned flags, bool primary) {
  auto context = std::make_shared<Context>();
  context->id = g_next_id++;
  context->device = device;
  context->flags = flags;
  context->primary = primary;
  context->legacy = new_default_stream(*context, kLegacyStreamId);
  return contexts().insert(std::move(context));
}

uint32_t id_of(CUcontext handle) {
  const Context* context = contexts().find(handle);
  return context ? context->id : 0;
}

void destroy(Context& context) {
  forget_streams(context);
  context.per_thread.clear();
}

CUresult create(CUcontext* out, unsigned flags, CUdevice device) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  Lock lock;
  *out = new_context(device, flags, false);
  t_stack.push_back({*out, id_of(*out)});
  return CUDA_SUCCESS;
}

// Waits until nothing of the primary context runs and drops what lives in it; the handle stays
// valid.
void reset_primary(Lock& lock, Primary& primary) {
  Context* context = contexts().find(primary.handle);
  if (!context) return;
  wait_for_context(lock, *context);
  destroy(*context);
  context->alive = false;
}

}  // namespace

Handles<Context, CUcontext>& contexts() {
  static auto* table = new Handles<Context, CUcontext>;
  return *table;
}

Context* current_context() {
  Context* context = t_stack.empty() ? nullptr : contexts().find(t_stack.back().handle);
  return context && context->alive ? context : nullptr;
}

uint32_t current_context_id() {
  return t_stack.empty() ? 0 : t_stack.back().id;
}

CUcontext current_context_handle() {
  return t_stack.empty() ? nullptr : t_stack.back().handle;
}

void make_current(CUcontext context) {
  if (!t_stack.empty()) t_stack.pop_back();
  if (context) t_stack.push_back({context, id_of(context)});
}

bool is_device(CUdevice device) {
  return device >= 0 && device < gpu_count();
}

uint64_t thread_key() {
  static std::atomic<uint64_t> next{1};
  thread_local const uint64_t key = next.fetch_add(1);
  return key;
}

CUresult impl_cuCtxCreate(CUcontext* out, unsigned flags, CUdevice device) {
  return create(out, flags, device);
}
CUresult impl_cuCtxCreate_v2(CUcontext* out, unsigned flags, CUdevice device) {
  return create(out, flags, device);
}
CUresult impl_cuCtxCreate_v3(CUcontext* out, CUexecAffinityParam*, int, unsigned flags,
                             CUdevice device) {
  return create(out, flags, device);
}
#if CUDA_VERSION >= 12050
CUresult impl_cuCtxCreate_v4(CUcontext* out, CUctxCreateParams*, unsigned flags, CUdevice device) {
  return create(out, flags, device);
}
#endif

CUresult impl_cuCtxDestroy_v2(CUcontext handle) {
  Lock lock;
  Context* context = contexts().find(handle);
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  if (context->primary) return CUDA_ERROR_INVALID_CONTEXT;
  wait_for_context(lock, *context);
  destroy(*context);
  contexts().erase(handle);
  if (!t_stack.empty() && t_stack.back().handle == handle) t_stack.pop_back();
  return CUDA_SUCCESS;
}

CUresult impl_cuCtxGetCurrent(CUcontext* out) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = current_context_handle();
  return CUDA_SUCCESS;
}

CUresult impl_cuCtxSetCurrent(CUcontext handle) {
  Lock lock;
  if (handle && !contexts().find(handle)) return CUDA_ERROR_INVALID_CONTEXT;
  make_current(handle);
  return CUDA_SUCCESS;
}

CUresult impl_cuCtxPushCurrent_v2(CUcontext handle) {
  Lock lock;
  if (!contexts().find(handle)) return CUDA_ERROR_INVALID_CONTEXT;
  t_stack.push_back({handle, id_of(handle)});
  return CUDA_SUCCESS;
}

CUresult impl_cuCtxPopCurrent_v2(CUcontext* out) {
  if (t_stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  if (out) *out = t_stack.back().handle;
  t_stack.pop_back();
  return CUDA_SUCCESS;
}

CUresult impl_cuCtxGetDevice(CUdevice* out) {
  MFUSIM_NEED_CONTEXT(context);
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = context->device;
  return CUDA_SUCCESS;
}

#if CUDA_VERSION >= 13000
CUresult impl_cuCtxGetDevice_v2(CUdevice* out, CUcontext handle) {
  MFUSIM_NEED_CONTEXT(current);
  const Context* context = handle ? contexts().find(handle) : current;
  if (!context || !out) return CUDA_ERROR_INVALID_VALUE;
  *out = context->device;
  return CUDA_SUCCESS;
}
#endif

CUresult impl_cuCtxGetId(CUcontext handle, unsigned long long* out) {
  MFUSIM_NEED_CONTEXT(current);
  const Context* context = handle ? contexts().find(handle) : current;
  if (!context || !out) return CUDA_ERROR_INVALID_VALUE;
  *out = context->id;
  return CUDA_SUCCESS;
}

CUresult impl_cuCtxGetFlags(unsigned int* out) {
  MFUSIM_NEED_CONTEXT(context);
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = context->flags;
  return CUDA_SUCCESS;
}

CUresult impl_cuCtxSetFlags(unsigned int flags) {
  MFUSIM_NEED_CONTEXT(context);
  context->flags = flags;
  return CUDA_SUCCESS;
}

CUresult impl_cuCtxGetApiVersion(CUcontext, unsigned int* out) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = 3020;  // the context ABI, unchanged since CUDA 3.2
  return CUDA_SUCCESS;
}

CUresult impl_cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  MFUSIM_NEED_CONTEXT(context);
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return CUDA_SUCCESS;
}

CUresult impl_cuCtxGetLimit(size_t* out, CUlimit limit) {
  MFUSIM_NEED_CONTEXT(context);
  if (!out || limit >= CU_LIMIT_MAX) return CUDA_ERROR_INVALID_VALUE;
  const auto it = context->limits.find(limit);
  *out = it != context->limits.end()    ? it->second
         : limit == CU_LIMIT_STACK_SIZE ? 1024
                                        : size_t(8) << 20;
  return CUDA_SUCCESS;
}

CUresult impl_cuCtxSetLimit(CUlimit limit, size_t value) {
  MFUSIM_NEED_CONTEXT(context);
  if (limit >= CU_LIMIT_MAX) return CUDA_ERROR_INVALID_VALUE;
  context->limits[limit] = value;
  return CUDA_SUCCESS;
}

CUresult impl_cuCtxGetCacheConfig(CUfunc_cache* out) {
  MFUSIM_NEED_CONTEXT(context);
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = CU_FUNC_CACHE_PREFER_NONE;
  return CUDA_SUCCESS;
}
CUresult impl_cuCtxSetCacheConfig(CUfunc_cache) {
  MFUSIM_NEED_CONTEXT(context);
  return CUDA_SUCCESS;
}

CUresult impl_cuDevicePrimaryCtxRetain(CUcontext* out, CUdevice device) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  Lock lock;
  Primary& primary = primaries()[device];
  if (!primary.handle) primary.handle = new_context(device, primary.flags, true);
  contexts().find(primary.handle)->alive = true;
  ++primary.retained;
  *out = primary.handle;
  return CUDA_SUCCESS;
}

CUresult impl_cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  Lock lock;
  Primary& primary = primaries()[device];
  if (primary.retained == 0) return CUDA_ERROR_INVALID_CONTEXT;
  if (--primary.retained == 0) reset_primary(lock, primary);
  return CUDA_SUCCESS;
}

CUresult impl_cuDevicePrimaryCtxReset_v2(CUdevice device) {
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  Lock lock;
  Primary& primary = primaries()[device];
  primary.retained = 0;
  reset_primary(lock, primary);
  return CUDA_SUCCESS;
}

CUresult impl_cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned int flags) {
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  Lock lock;
  Primary& primary = primaries()[device];
  primary.flags = flags;
  if (Context* context = contexts().find(primary.handle)) context->flags = flags;
  return CUDA_SUCCESS;
}

CUresult impl_cuDevicePrimaryCtxGetState(CUdevice device, unsigned int* flags, int* active) {
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  Lock lock;
  const Primary& primary = primaries()[device];
  if (flags) *flags = primary.flags;
  if (active) *active = primary.retained != 0;
  return CUDA_SUCCESS;
}

}  // namespace mfusim
