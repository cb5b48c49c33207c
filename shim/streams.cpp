// Ids of streams, by handle and context; see streams.hpp.
#include "streams.hpp"

#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>

#include <atomic>

#include "device_clocks.hpp"
#include "memo.hpp"
#include "resolve.hpp"

namespace mfushim::shim {
namespace {

using detail::kPerThreadStream;

constinit Memo<2, 256> g_streams;

struct Context {
  CUcontext handle = nullptr;
  std::uint32_t device = 0;  // index + 1; 0: not known
  bool known = false;
};
MFUSHIM_THREAD_LOCAL Context t_context{};

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
  if (handle > kPerThreadStream &&
      (get_context == nullptr ||
       get_context(reinterpret_cast<CUstream>(handle), &own) != CUDA_SUCCESS))
    own = nullptr;
  format::Stream stream;
  stream.handle = handle;
  stream.context = reinterpret_cast<std::uint64_t>(own);
  stream.device = own == current.handle ? current.device : 0;
  if (stream.device != 0) use_device(stream.device - 1);
  return intern(stream);
}

}  // namespace

namespace detail {

MFUSHIM_THREAD_LOCAL LastStream t_last_stream{};
constinit std::atomic<std::uint32_t> g_stream_epoch{0};

std::uint32_t find_stream(std::uint64_t handle) noexcept {
  const std::uint32_t epoch = g_stream_epoch.load(std::memory_order_acquire);
  // The default streams belong to the current context.
  const std::uint64_t context =
      handle <= kPerThreadStream ? reinterpret_cast<std::uint64_t>(current_context().handle) : 0;
  const std::uint32_t id = g_streams.get({handle, context}, [&] { return make_stream(handle); });
  t_last_stream = {handle, id, generation(), epoch};
  return id;
}

}  // namespace detail

void forget_context() noexcept {
  t_context.known = false;
  detail::t_last_stream.id = 0;
}

void forget_streams() noexcept {
  g_streams.clear();
  detail::g_stream_epoch.fetch_add(1, std::memory_order_release);
}

}  // namespace mfushim::shim
