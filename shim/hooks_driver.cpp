// The driver's entry points: every launch ends in one of these, whichever library made it.
#include "mfushim/format/api.hpp"
#include "thunk.hpp"

#define MFUSHIM_ROWS "mfushim/format/apis_driver.def"
#define MFUSHIM_API(symbol, ...) struct symbol;
#include MFUSHIM_ROWS
#undef MFUSHIM_API

#define __CUDA_API_VERSION_INTERNAL  // declares all ABI variants under their exported names
#include <cuda.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"  // the structs of their names
#include "declarations_driver.hpp"
#pragma GCC diagnostic pop

#include "hooks_driver_graphs.hpp"
#include "kernels.hpp"
#include "redirect.hpp"
#include "streams.hpp"

static_assert(CUDA_VERSION == MFUSHIM_CUDA_VERSION, "entries.S was built for other headers");

namespace mfushim::shim {

using format::Api;
using format::CopyKind;
using enum format::Api;

// Launches.

[[gnu::always_inline]] static inline void set_launch(Details& d, CUstream stream,
                                                     const LaunchWords& launch) {
  if (!d.filled) d.subject = launch_config(launch);
  d.filled = true;
  set_stream(d, stream);
}

constexpr std::uint32_t launch_flags(Api api) {
  return api == cuLaunchCooperativeKernel ? format::kLaunchCooperative : 0;
}

// The driver's work hides what fetching the configuration's memory takes.
template <Api api>
requires AnyOf<api, cuLaunchKernel, cuLaunchCooperativeKernel>
[[gnu::always_inline]] inline void before(Tag<api>, const Target&, CUfunction f, unsigned gx,
                                          unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                          unsigned bz, unsigned shared, auto...) {
  detail::g_launches.prefetch(
      launch_words(f, {gx, gy, gz}, {bx, by, bz}, shared, launch_flags(api)));
}

template <Api api>
requires AnyOf<api, cuLaunchKernel, cuLaunchCooperativeKernel>
[[gnu::always_inline]] inline void describe(Tag<api>, const Target&, Details& d, CUfunction f,
                                            unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                            unsigned by, unsigned bz, unsigned shared,
                                            CUstream stream, void**, auto...) {
  set_launch(d, stream, launch_words(f, {gx, gy, gz}, {bx, by, bz}, shared, launch_flags(api)));
}

struct LaunchAttributes {
  Extent cluster;
  std::uint32_t flags = 0;
};

static LaunchAttributes attributes_of(const CUlaunchConfig& config) {
  LaunchAttributes result;
  for (unsigned i = 0; config.attrs != nullptr && i < config.numAttrs; ++i) {
    const CUlaunchAttributeValue& value = config.attrs[i].value;
    switch (config.attrs[i].id) {
      case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        result.cluster = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
        break;
      case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
        if (value.cooperative != 0) result.flags |= format::kLaunchCooperative;
        break;
      case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
        if (value.programmaticStreamSerializationAllowed != 0)
          result.flags |= format::kLaunchProgrammatic;
        break;
      default:
        break;
    }
  }
  return result;
}

static void describe(Tag<cuLaunchKernelEx>, const Target&, Details& d, const CUlaunchConfig* c,
                     CUfunction f, void**, void**) {
  if (c == nullptr) return;
  const LaunchAttributes attributes = attributes_of(*c);
  set_launch(d, c->hStream,
             launch_words(f, {c->gridDimX, c->gridDimY, c->gridDimZ},
                          {c->blockDimX, c->blockDimY, c->blockDimZ}, c->sharedMemBytes,
                          attributes.flags, attributes.cluster));
}

template <Api api>
requires AnyOf<api, cuLaunchKernel, cuLaunchCooperativeKernel> TimedLaunch
timed_launch(Tag<api>, CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
             unsigned, CUstream stream, auto...) {
  return {stream};
}
static TimedLaunch timed_launch(Tag<cuLaunchKernelEx>, const CUlaunchConfig* c, auto...) {
  if (c == nullptr) return {nullptr, true};
  return {c->hStream, (attributes_of(*c).flags & format::kLaunchProgrammatic) != 0};
}

// One call, a kernel per device: the first stands for all.
static void describe(Tag<cuLaunchCooperativeKernelMultiDevice>, const Target&, Details& d,
                     const CUDA_LAUNCH_PARAMS* p, unsigned count, unsigned) {
  if (p == nullptr || count == 0) return;
  set_launch(d, p->hStream,
             launch_words(p->function, {p->gridDimX, p->gridDimY, p->gridDimZ},
                          {p->blockDimX, p->blockDimY, p->blockDimZ}, p->sharedMemBytes,
                          format::kLaunchCooperative));
}

// The launches of CUDA 3: the block is a property of the function.
static void describe(Tag<cuLaunch>, const Target&, Details& d, CUfunction f) {
  set_launch(d, nullptr, launch_words(f, {1, 1, 1}, {}, 0));
}
static void describe(Tag<cuLaunchGrid>, const Target&, Details& d, CUfunction f, int width,
                     int height) {
  set_launch(d, nullptr, launch_words(f, {unsigned(width), unsigned(height), 1}, {}, 0));
}
static void describe(Tag<cuLaunchGridAsync>, const Target&, Details& d, CUfunction f, int width,
                     int height, CUstream stream) {
  set_launch(d, stream, launch_words(f, {unsigned(width), unsigned(height), 1}, {}, 0));
}

template <Api api>
requires AnyOf<api, cuLaunchHostFunc, cuStreamAddCallback>
void describe(Tag<api>, const Target&, Details& d, CUstream stream, auto...) {
  set_stream(d, stream);
}

// Copies. A form without a stream has none in its record.

template <Api api>
consteval CopyKind copy_kind() {
  const std::string_view name = format::api_row(api).name;
  if (name.find("HtoD") != name.npos) return CopyKind::kHostToDevice;
  if (name.find("DtoH") != name.npos) return CopyKind::kDeviceToHost;
  if (name.find("DtoD") != name.npos) return CopyKind::kDeviceToDevice;
  if (name.find("Peer") != name.npos) return CopyKind::kPeer;
  return name.find("Ato") != name.npos || name.find("toA") != name.npos ? CopyKind::kArray
                                                                        : CopyKind::kUnknown;
}

static CopyKind copy_kind(CUmemorytype from, CUmemorytype to) {
  if (from == CU_MEMORYTYPE_ARRAY || to == CU_MEMORYTYPE_ARRAY) return CopyKind::kArray;
  if (from == CU_MEMORYTYPE_UNIFIED || to == CU_MEMORYTYPE_UNIFIED) return CopyKind::kUnknown;
  if (from == CU_MEMORYTYPE_HOST)
    return to == CU_MEMORYTYPE_HOST ? CopyKind::kHostToHost : CopyKind::kHostToDevice;
  return to == CU_MEMORYTYPE_HOST ? CopyKind::kDeviceToHost : CopyKind::kDeviceToDevice;
}

template <Api api, class... Stream>
requires AnyOf<api, cuMemcpy, cuMemcpyAsync, cuMemcpyHtoD, cuMemcpyHtoDAsync, cuMemcpyDtoH,
               cuMemcpyDtoHAsync, cuMemcpyDtoD, cuMemcpyDtoDAsync>
void describe(Tag<api>, const Target&, Details& d, auto, auto, std::size_t bytes,
              Stream... stream) {
  d.set_copy(bytes, copy_kind<api>());
  (set_stream(d, stream), ...);
}

template <Api api, class... Stream>
requires AnyOf<api, cuMemcpyPeer, cuMemcpyPeerAsync>
void describe(Tag<api>, const Target&, Details& d, CUdeviceptr, CUcontext, CUdeviceptr, CUcontext,
              std::size_t bytes, Stream... stream) {
  d.set_copy(bytes, CopyKind::kPeer);
  (set_stream(d, stream), ...);
}

// (array, offset, source, bytes) and (destination, array, offset, bytes)
template <Api api, class... Stream>
requires AnyOf<api, cuMemcpyDtoA, cuMemcpyAtoD, cuMemcpyHtoA, cuMemcpyHtoAAsync, cuMemcpyAtoH,
               cuMemcpyAtoHAsync>
void describe(Tag<api>, const Target&, Details& d, auto, auto, auto, std::size_t bytes,
              Stream... stream) {
  d.set_copy(bytes, copy_kind<api>());
  (set_stream(d, stream), ...);
}
static void describe(Tag<cuMemcpyAtoA>, const Target&, Details& d, CUarray, std::size_t, CUarray,
                     std::size_t, std::size_t bytes) {
  d.set_copy(bytes, CopyKind::kArray);
}

template <Api api, class Copy, class... Stream>
requires AnyOf<api, cuMemcpy2D, cuMemcpy2DUnaligned, cuMemcpy2DAsync>
void describe(Tag<api>, const Target&, Details& d, const Copy* copy, Stream... stream) {
  if (copy != nullptr)
    d.set_copy(std::uint64_t{copy->WidthInBytes} * copy->Height,
               copy_kind(copy->srcMemoryType, copy->dstMemoryType));
  (set_stream(d, stream), ...);
}

template <Api api, class Copy, class... Stream>
requires AnyOf<api, cuMemcpy3D, cuMemcpy3DAsync, cuMemcpy3DPeer, cuMemcpy3DPeerAsync>
void describe(Tag<api>, const Target&, Details& d, const Copy* copy, Stream... stream) {
  if (copy != nullptr)
    d.set_copy(std::uint64_t{copy->WidthInBytes} * copy->Height * copy->Depth,
               copy_kind<api>() == CopyKind::kPeer
                   ? CopyKind::kPeer
                   : copy_kind(copy->srcMemoryType, copy->dstMemoryType));
  (set_stream(d, stream), ...);
}

static void describe(Tag<cuMemcpyWithAttributesAsync>, const Target&, Details& d, CUdeviceptr,
                     CUdeviceptr, std::size_t bytes, auto, CUstream stream) {
  d.set_copy(bytes, CopyKind::kUnknown);
  set_stream(d, stream);
}

// Batches: their copies may be of several kinds. The last argument is the stream.

static void describe(Tag<cuMemcpyBatchAsync>, const Target&, Details& d, CUdeviceptr*, CUdeviceptr*,
                     std::size_t* sizes, std::size_t count, auto... rest) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; sizes != nullptr && i < count; ++i) bytes += sizes[i];
  d.set_copy(bytes, CopyKind::kUnknown);
  set_stream(d, last_of(rest...));
}

static std::uint64_t bytes_of([[maybe_unused]] const void* ops,
                              [[maybe_unused]] std::size_t count) {
  std::uint64_t bytes = 0;
#if MFUSHIM_CUDA_VERSION >= 12080  // headers without the struct lack the calls
  const auto* op = static_cast<const CUDA_MEMCPY3D_BATCH_OP*>(ops);
  for (std::size_t i = 0; op != nullptr && i < count; ++i)
    bytes += std::uint64_t{op[i].extent.width} * op[i].extent.height * op[i].extent.depth;
#endif
  return bytes;
}
static void describe(Tag<cuMemcpy3DBatchAsync>, const Target&, Details& d, std::size_t count,
                     auto ops, auto... rest) {
  d.set_copy(bytes_of(ops, count), CopyKind::kUnknown);
  set_stream(d, last_of(rest...));
}
static void describe(Tag<cuMemcpy3DWithAttributesAsync>, const Target&, Details& d, auto op,
                     unsigned long long, CUstream stream) {
  d.set_copy(bytes_of(op, 1), CopyKind::kUnknown);
  set_stream(d, stream);
}
// The sizes are in structs of CUDA 13.5: not read.
static void describe(Tag<cuFabricCpyBatchAsync>, const Target&, Details& d, std::size_t, auto,
                     unsigned long long, CUstream stream) {
  set_stream(d, stream);
}

// Memory sets.

template <Api api>
consteval std::size_t element_size() {
  const std::string_view name = format::api_row(api).name;
  return name.find("D32") != name.npos ? 4 : name.find("D16") != name.npos ? 2 : 1;
}

template <Api api, class... Stream>
requires AnyOf<api, cuMemsetD8, cuMemsetD16, cuMemsetD32, cuMemsetD8Async, cuMemsetD16Async,
               cuMemsetD32Async>
void describe(Tag<api>, const Target&, Details& d, auto, auto, std::size_t count,
              Stream... stream) {
  d.set_bytes(count * element_size<api>());
  (set_stream(d, stream), ...);
}
template <Api api, class... Stream>
requires AnyOf<api, cuMemsetD2D8, cuMemsetD2D16, cuMemsetD2D32, cuMemsetD2D8Async,
               cuMemsetD2D16Async, cuMemsetD2D32Async>
void describe(Tag<api>, const Target&, Details& d, auto, std::size_t, auto, std::size_t width,
              std::size_t height, Stream... stream) {
  d.set_bytes(width * height * element_size<api>());
  (set_stream(d, stream), ...);
}

template <Api api>
requires AnyOf<api, cuStreamWriteValue32, cuStreamWriteValue64>
void describe(Tag<api>, const Target&, Details& d, CUstream stream, CUdeviceptr, auto value,
              unsigned) {
  d.set_bytes(sizeof value);
  set_stream(d, stream);
}

// Waiting, and memory.

static void describe(Tag<cuStreamSynchronize>, const Target&, Details& d, CUstream stream) {
  set_stream(d, stream);
}

template <Api api>
requires AnyOf<api, cuMemAlloc, cuMemAllocManaged, cuMemAllocHost, cuMemHostAlloc, cuMemAllocAsync,
               cuMemAllocFromPoolAsync, cuMemCreate>
void describe(Tag<api>, const Target&, Details& d, auto, std::size_t bytes, auto...) {
  d.set_bytes(bytes);
}
static void describe(Tag<cuMemAllocPitch>, const Target&, Details& d, auto, auto, std::size_t width,
                     std::size_t height, unsigned) {
  d.set_bytes(width * height);
}

// Names of kernels.

static void after(Tag<cuModuleGetFunction>, const Target&, CUresult result, CUfunction* function,
                  CUmodule module, const char* name) {
  if (result == CUDA_SUCCESS && function != nullptr && name != nullptr)
    kernel_made(*function, module, name);
}
#if MFUSHIM_CUDA_VERSION >= 12000
static void after(Tag<cuLibraryGetKernel>, const Target&, CUresult result, CUkernel* kernel,
                  CUlibrary library, const char* name) {
  if (result == CUDA_SUCCESS && kernel != nullptr && name != nullptr)
    kernel_made(*kernel, library, name);
}
static void after(Tag<cuKernelGetFunction>, const Target&, CUresult result, CUfunction* function,
                  CUkernel kernel) {
  if (result == CUDA_SUCCESS && function != nullptr) kernel_alias(*function, kernel);
}
#endif

#if MFUSHIM_CUDA_VERSION >= 12040
// The kind of these handles is known, so their names may be asked for.
template <class Handle>
void enumerated(CUresult (*get_name)(const char**, Handle), const Handle* handles, unsigned count,
                const void* owner) {
  for (unsigned i = 0; get_name != nullptr && handles != nullptr && i < count; ++i) {
    const char* name = nullptr;
    if (get_name(&name, handles[i]) == CUDA_SUCCESS && name != nullptr)
      kernel_made(handles[i], owner, name);
  }
}
static void after(Tag<cuModuleEnumerateFunctions>, const Target& target, CUresult result,
                  CUfunction* functions, unsigned count, CUmodule module) {
  if (result == CUDA_SUCCESS)
    enumerated(MFUSHIM_REAL(target, cuFuncGetName), functions, count, module);
}
static void after(Tag<cuLibraryEnumerateKernels>, const Target& target, CUresult result,
                  CUkernel* kernels, unsigned count, CUlibrary library) {
  if (result == CUDA_SUCCESS)
    enumerated(MFUSHIM_REAL(target, cuKernelGetName), kernels, count, library);
}
#endif

template <Api api>
requires AnyOf<api, cuModuleUnload, cuLibraryUnload>
void before(Tag<api>, const Target&, auto owner) {
  kernels_unloaded(owner);
}

// Contexts and streams.

static void after(Tag<cuInit>, const Target&, CUresult result, unsigned) {
  if (result == CUDA_SUCCESS) arm();
}

template <Api api>
requires AnyOf<api, cuCtxCreate, cuCtxDestroy, cuCtxSetCurrent, cuCtxPushCurrent, cuCtxPopCurrent,
               cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxReset>
void after(Tag<api>, const Target&, CUresult, auto...) {
  forget_context();
}

static void before(Tag<cuStreamDestroy>, const Target&, CUstream stream) {
  forget_streams();
  if (stream != nullptr) capture_lost(stream);
}
static void before(Tag<cuCtxDestroy>, const Target&, CUcontext context) {
  captures_lost();
  event_timing::context_lost(context);
}
// The last that releases a device's context ends it.
template <Api api>
requires AnyOf<api, cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxReset>
void before(Tag<api>, const Target&, CUdevice) {
  if constexpr (api == cuDevicePrimaryCtxReset) captures_lost();
  event_timing::context_lost(nullptr);
}

// Looking up.

static void after(Tag<cuGetProcAddress>, const Target& target, CUresult result, const char* symbol,
                  void** function, int version, cuuint64_t flags, auto...) {
  if (result == CUDA_SUCCESS && symbol != nullptr && function != nullptr)
    *function = redirect(symbol, version, flags, *function, target.caller, target.provider());
}

}  // namespace mfushim::shim

mfushim::shim::Entry mfushim_exported_driver[] = {
#define MFUSHIM_API(symbol, ...) MFUSHIM_EXPORTED(symbol, MFUSHIM_CUDA_VERSION)
#include MFUSHIM_ROWS
#undef MFUSHIM_API
};
