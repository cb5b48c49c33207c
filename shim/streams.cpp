// Ids of streams, by handle and context; see streams.hpp.
#include "streams.hpp"

#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>

#include <atomic>

#include "memo.hpp"
#include "resolve.hpp"

namespace mfushim::shim {
namespace {

constexpr std::uint64_t kLegacy = 1;     // CU_STREAM_LEGACY
constexpr std::uint64_t kPerThread = 2;  // CU_STREAM_PER_THREAD

constinit Memo<2, 256> g_streams;
constinit std::atomic<int> g_captures{0};

struct Context {
  CUcontext handle = nullptr;
  std::uint32_t device = 0;  // index + 1; 0: not known
  bool known = false;
};
MFUSHIM_THREAD_LOCAL Context t_context{};

template <class Function>
Function driver_function(Helper which) noexcept {
  Provider* const from = driver();
  return from != nullptr ? reinterpret_cast<Function>(from->find(which)) : nullptr;
}
#define MFUSHIM_DRIVER(name) driver_function<decltype(&::name)>(Helper::name)

const Context& current_context() noexcept {
  if (t_context.known) return t_context;
  t_context = {};
  const auto get_current = MFUSHIM_DRIVER(cuCtxGetCurrent);
  const auto get_device = MFUSHIM_DRIVER(cuCtxGetDevice);
  CUdevice device = 0;
  if (get_current != nullptr && get_current(&t_context.handle) == CUDA_SUCCESS &&
      t_context.handle != nullptr) {
    t_context.known = true;
    if (get_device != nullptr && get_device(&device) == CUDA_SUCCESS)
      t_context.device = static_cast<std::uint32_t>(device) + 1;
  }
  return t_context;
}

std::uint32_t make_stream(std::uint64_t handle) noexcept {
  const Context& current = current_context();
  CUcontext own = current.handle;
  const auto get_context = MFUSHIM_DRIVER(cuStreamGetCtx);
  if (handle > kPerThread &&
      (get_context == nullptr ||
       get_context(reinterpret_cast<CUstream>(handle), &own) != CUDA_SUCCESS))
    own = nullptr;
  format::Stream stream;
  stream.handle = handle;
  stream.context = reinterpret_cast<std::uint64_t>(own);
  stream.device = own == current.handle ? current.device : 0;
  return intern(stream);
}

bool is_capturing(std::uint64_t handle) noexcept {
  const auto ask = MFUSHIM_DRIVER(cuStreamIsCapturing);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return ask != nullptr && ask(reinterpret_cast<CUstream>(handle), &status) == CUDA_SUCCESS &&
         status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

}  // namespace

void set_stream(Details& details, const void* handle) noexcept {
  if (details.stream != 0) return;
  auto stream = reinterpret_cast<std::uint64_t>(handle);
  if (stream == 0 && details.per_thread) stream = kPerThread;
  if (stream == kLegacy) stream = 0;
  // The default streams belong to the current context.
  const std::uint64_t context =
      stream <= kPerThread ? reinterpret_cast<std::uint64_t>(current_context().handle) : 0;
  details.stream = g_streams.get({stream, context}, [&] { return make_stream(stream); });
  if (g_captures.load(std::memory_order_relaxed) > 0) details.captured = is_capturing(stream);
}

void forget_context() noexcept {
  t_context.known = false;
}

void forget_streams() noexcept {
  g_streams.clear();
}

void capture_began() noexcept {
  g_captures.fetch_add(1, std::memory_order_relaxed);
}

void capture_ended() noexcept {
  int count = g_captures.load(std::memory_order_relaxed);
  while (count > 0 && !g_captures.compare_exchange_weak(count, count - 1)) {
  }
}

}  // namespace mfushim::shim
