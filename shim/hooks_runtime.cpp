// The runtime's entry points: the driver's calls beneath add what a launch is; these say what the
// program called, and what it cost in all.
#include "mfushim/format/api.hpp"
#include "thunk.hpp"

#define MFUSHIM_ROWS "mfushim/format/apis_runtime.def"
#define MFUSHIM_API(symbol, ...) struct symbol;
#include MFUSHIM_ROWS
#undef MFUSHIM_API

#define __CUDA_API_VERSION_INTERNAL  // declares the twins under their exported names
#include <cuda_runtime_api.h>

#include "graphs.hpp"
#include "kernels.hpp"
#include "streams.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"  // the structs of their names
#include "declarations_runtime.hpp"
#pragma GCC diagnostic pop

namespace mfushim::shim {

using format::Api;
using format::CopyKind;
using enum format::Api;

// Launches. What follows is used only where no hooked driver call was seen beneath: the kernel's
// name is not known then.

static void set_launch(Details& d, cudaStream_t stream, dim3 grid, dim3 block, std::size_t shared,
                       std::uint32_t flags) {
  if (!d.filled)
    d.subject =
        launch_config(launch_words(nullptr, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z},
                                   static_cast<std::uint32_t>(shared), flags));
  d.filled = true;
  set_stream(d, stream);
}

template <Api api>
requires AnyOf<api, cudaLaunchKernel, cudaLaunchCooperativeKernel, __cudaLaunchKernel>
void describe(Tag<api>, const Target&, Details& d, auto, dim3 grid, dim3 block, void**,
              std::size_t shared, cudaStream_t stream) {
  set_launch(d, stream, grid, block, shared,
             api == cudaLaunchCooperativeKernel ? format::kLaunchCooperative : 0);
}
static void describe(Tag<cudaLaunchKernelExC>, const Target&, Details& d,
                     const cudaLaunchConfig_t* c, const void*, void**) {
  if (c != nullptr) set_launch(d, c->stream, c->gridDim, c->blockDim, c->dynamicSmemBytes, 0);
}

template <Api api>
requires AnyOf<api, cudaLaunchKernel, cudaLaunchCooperativeKernel, __cudaLaunchKernel> TimedLaunch
timed_launch(Tag<api>, auto, dim3, dim3, void**, std::size_t, cudaStream_t stream) {
  return {stream};
}
static TimedLaunch timed_launch(Tag<cudaLaunchKernelExC>, const cudaLaunchConfig_t* c, auto...) {
  if (c == nullptr) return {nullptr, true};
  bool programmatic = false;
  for (unsigned i = 0; c->attrs != nullptr && i < c->numAttrs; ++i)
    programmatic |= c->attrs[i].id == cudaLaunchAttributeProgrammaticStreamSerialization &&
                    c->attrs[i].val.programmaticStreamSerializationAllowed != 0;
  return {c->stream, programmatic};
}
// The driver's call beneath tells all: CUDA 13 has no struct for the arguments any more.
static void describe(Tag<cudaLaunchCooperativeKernelMultiDevice>, const Target&, Details&, auto,
                     unsigned, unsigned) {}

template <Api api>
requires AnyOf<api, cudaLaunchHostFunc, cudaStreamAddCallback>
void describe(Tag<api>, const Target&, Details& d, cudaStream_t stream, auto...) {
  set_stream(d, stream);
}

static void describe(Tag<cudaGraphLaunch>, const Target&, Details& d, cudaGraphExec_t graph,
                     cudaStream_t stream) {
  if (d.subject == 0) d.subject = graph_number(graph);
  set_stream(d, stream);
}
static TimedLaunch timed_launch(Tag<cudaGraphLaunch>, cudaGraphExec_t, cudaStream_t stream) {
  return {stream};
}

// Copies.

static CopyKind copy_kind(cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToHost:
      return CopyKind::kHostToHost;
    case cudaMemcpyHostToDevice:
      return CopyKind::kHostToDevice;
    case cudaMemcpyDeviceToHost:
      return CopyKind::kDeviceToHost;
    case cudaMemcpyDeviceToDevice:
      return CopyKind::kDeviceToDevice;
    default:
      return CopyKind::kUnknown;
  }
}

template <Api api, class... Stream>
requires AnyOf<api, cudaMemcpy, cudaMemcpyAsync>
void describe(Tag<api>, const Target&, Details& d, void*, const void*, std::size_t bytes,
              cudaMemcpyKind kind, Stream... stream) {
  d.set_copy(bytes, copy_kind(kind));
  (set_stream(d, stream), ...);
}

static void describe(Tag<cudaMemcpyWithAttributesAsync>, const Target&, Details& d, void*,
                     const void*, std::size_t bytes, auto, cudaStream_t stream) {
  d.set_copy(bytes, CopyKind::kUnknown);
  set_stream(d, stream);
}
static void describe(Tag<cudaMemcpy3DWithAttributesAsync>, const Target&, Details& d, auto,
                     unsigned long long, cudaStream_t stream) {
  set_stream(d, stream);
}

template <Api api, class... Stream>
requires AnyOf<api, cudaMemcpyPeer, cudaMemcpyPeerAsync>
void describe(Tag<api>, const Target&, Details& d, void*, int, const void*, int, std::size_t bytes,
              Stream... stream) {
  d.set_copy(bytes, CopyKind::kPeer);
  (set_stream(d, stream), ...);
}

template <Api api, class... Stream>
requires AnyOf<api, cudaMemcpyToSymbol, cudaMemcpyToSymbolAsync, cudaMemcpyFromSymbol,
               cudaMemcpyFromSymbolAsync>
void describe(Tag<api>, const Target&, Details& d, auto, auto, std::size_t bytes, std::size_t,
              cudaMemcpyKind kind, Stream... stream) {
  d.set_copy(bytes, copy_kind(kind));
  (set_stream(d, stream), ...);
}

template <Api api, class... Stream>
requires AnyOf<api, cudaMemcpy2D, cudaMemcpy2DAsync>
void describe(Tag<api>, const Target&, Details& d, void*, std::size_t, const void*, std::size_t,
              std::size_t width, std::size_t height, cudaMemcpyKind kind, Stream... stream) {
  d.set_copy(width * height, copy_kind(kind));
  (set_stream(d, stream), ...);
}

template <Api api, class Copy, class... Stream>
requires AnyOf<api, cudaMemcpy3D, cudaMemcpy3DAsync, cudaMemcpy3DPeer, cudaMemcpy3DPeerAsync>
void describe(Tag<api>, const Target&, Details& d, const Copy* copy, Stream... stream) {
  if (copy != nullptr) {
    CopyKind kind = CopyKind::kPeer;
    if constexpr (requires { copy->kind; }) kind = copy_kind(copy->kind);
    d.set_copy(std::uint64_t{copy->extent.width} * copy->extent.height * copy->extent.depth, kind);
  }
  (set_stream(d, stream), ...);
}

// Arrays, in one dimension and in two.
template <Api api, class... Stream>
requires AnyOf<api, cudaMemcpyToArray, cudaMemcpyToArrayAsync, cudaMemcpyFromArray,
               cudaMemcpyFromArrayAsync>
void describe(Tag<api>, const Target&, Details& d, auto, auto, auto, auto, std::size_t bytes,
              cudaMemcpyKind, Stream... stream) {
  d.set_copy(bytes, CopyKind::kArray);
  (set_stream(d, stream), ...);
}
static void describe(Tag<cudaMemcpyArrayToArray>, const Target&, Details& d, cudaArray_t,
                     std::size_t, std::size_t, cudaArray_const_t, std::size_t, std::size_t,
                     std::size_t bytes, cudaMemcpyKind) {
  d.set_copy(bytes, CopyKind::kArray);
}
template <Api api, class... Stream>
requires AnyOf<api, cudaMemcpy2DToArray, cudaMemcpy2DToArrayAsync, cudaMemcpy2DFromArray,
               cudaMemcpy2DFromArrayAsync>
void describe(Tag<api>, const Target&, Details& d, auto, auto, auto, auto, auto, std::size_t width,
              std::size_t height, cudaMemcpyKind, Stream... stream) {
  d.set_copy(width * height, CopyKind::kArray);
  (set_stream(d, stream), ...);
}
static void describe(Tag<cudaMemcpy2DArrayToArray>, const Target&, Details& d, cudaArray_t,
                     std::size_t, std::size_t, cudaArray_const_t, std::size_t, std::size_t,
                     std::size_t width, std::size_t height, cudaMemcpyKind) {
  d.set_copy(width * height, CopyKind::kArray);
}

// Memory sets.

template <Api api, class... Stream>
requires AnyOf<api, cudaMemset, cudaMemsetAsync>
void describe(Tag<api>, const Target&, Details& d, void*, int, std::size_t bytes,
              Stream... stream) {
  d.set_bytes(bytes);
  (set_stream(d, stream), ...);
}
template <Api api, class... Stream>
requires AnyOf<api, cudaMemset2D, cudaMemset2DAsync>
void describe(Tag<api>, const Target&, Details& d, void*, std::size_t, int, std::size_t width,
              std::size_t height, Stream... stream) {
  d.set_bytes(width * height);
  (set_stream(d, stream), ...);
}
template <Api api, class... Stream>
requires AnyOf<api, cudaMemset3D, cudaMemset3DAsync>
void describe(Tag<api>, const Target&, Details& d, cudaPitchedPtr, int, cudaExtent extent,
              Stream... stream) {
  d.set_bytes(std::uint64_t{extent.width} * extent.height * extent.depth);
  (set_stream(d, stream), ...);
}

// Waiting, and memory.

static void describe(Tag<cudaStreamSynchronize>, const Target&, Details& d, cudaStream_t stream) {
  set_stream(d, stream);
}

template <Api api>
requires AnyOf<api, cudaMalloc, cudaMallocManaged, cudaMallocHost, cudaHostAlloc, cudaMallocAsync,
               cudaMallocFromPoolAsync>
void describe(Tag<api>, const Target&, Details& d, auto, std::size_t bytes, auto...) {
  d.set_bytes(bytes);
}
static void describe(Tag<cudaMallocPitch>, const Target&, Details& d, void**, std::size_t*,
                     std::size_t width, std::size_t height) {
  d.set_bytes(width * height);
}
static void describe(Tag<cudaMalloc3D>, const Target&, Details& d, cudaPitchedPtr*,
                     cudaExtent extent) {
  d.set_bytes(std::uint64_t{extent.width} * extent.height * extent.depth);
}

}  // namespace mfushim::shim

mfushim::shim::Entry mfushim_exported_runtime[] = {
#define MFUSHIM_API(symbol, ...) MFUSHIM_EXPORTED(symbol, MFUSHIM_CUDA_VERSION)
#include MFUSHIM_ROWS
#undef MFUSHIM_API
};
