// The driver's captures and graphs: what each of its calls means for what a graph contains. A part
// of hooks_driver.cpp.
#pragma once

#ifndef __CUDA_API_VERSION_INTERNAL
#define __CUDA_API_VERSION_INTERNAL
#endif
#include <cuda.h>

#include "captures.hpp"
#include "graphs.hpp"
#include "hook.hpp"
#include "streams.hpp"

namespace mfushim::shim {

using format::Api;
using enum format::Api;

inline void describe(Tag<cuGraphLaunch>, const Target&, Details& d, CUgraphExec graph,
                     CUstream stream) {
  d.subject = graph_number(graph);
  set_stream(d, stream);
}
inline TimedLaunch timed_launch(Tag<cuGraphLaunch>, CUgraphExec, CUstream stream) {
  return {stream};
}

template <Api api>
requires AnyOf<api, cuGraphDestroy, cuGraphExecDestroy>
void before(Tag<api>, const Target&, const void* graph) {
  graph_destroyed(graph);
}

inline void after(Tag<cuGraphCreate>, const Target&, CUresult result, CUgraph* graph, unsigned) {
  if (result == CUDA_SUCCESS && graph != nullptr) graph_made(*graph);
}

inline void after(Tag<cuStreamBeginCapture>, const Target&, CUresult result, CUstream stream,
                  auto...) {
  if (result != CUDA_SUCCESS) return;
  capture_began(stream);
  graph_made(captured_graph(stream));
}
inline void after(Tag<cuStreamBeginCaptureToGraph>, const Target&, CUresult result, CUstream stream,
                  CUgraph graph, auto...) {
  if (result != CUDA_SUCCESS) return;
  capture_began(stream);
  graph_used(graph);
}
// The capture takes the place of what was in the graph.
inline void after(Tag<cuStreamBeginRecaptureToGraph>, const Target&, CUresult result,
                  CUstream stream, CUstreamCaptureMode, CUgraph graph, auto...) {
  if (result != CUDA_SUCCESS) return;
  capture_began(stream);
  graph_made(graph);
}
inline void after(Tag<cuStreamBeginCaptureToCig>, const Target&, CUresult result, CUstream stream,
                  auto) {
  if (result == CUDA_SUCCESS) capture_began(stream);
}

// The graph, where the call gives one.
inline void end_capture(CUresult result, CUstream stream, const CUgraph* graph) {
  if (result != CUDA_SUCCESS && result != CUDA_ERROR_STREAM_CAPTURE_INVALIDATED &&
      result != CUDA_ERROR_STREAM_CAPTURE_UNJOINED)
    return;
  const std::uint32_t number = capture_ended(stream);
  if (result == CUDA_SUCCESS && graph != nullptr) graph_captured(*graph, number);
}
inline void after(Tag<cuStreamEndCapture>, const Target&, CUresult result, CUstream stream,
                  CUgraph* graph) {
  end_capture(result, stream, graph);
}
inline void after(Tag<cuStreamEndCaptureToCig>, const Target&, CUresult result, CUstream stream) {
  end_capture(result, stream, nullptr);
}

inline void after(Tag<cuGraphClone>, const Target&, CUresult result, CUgraph* copy,
                  CUgraph original) {
  if (result == CUDA_SUCCESS && copy != nullptr) graph_cloned(*copy, original);
}
inline void after(Tag<cuGraphAddChildGraphNode>, const Target&, CUresult result, CUgraphNode*,
                  CUgraph graph, const CUgraphNode*, std::size_t, CUgraph child) {
  if (result == CUDA_SUCCESS) child_added(graph, child);
}

template <class... Rest>
void node_added([[maybe_unused]] CUgraph graph, [[maybe_unused]] Rest... rest) {
#if MFUSHIM_CUDA_VERSION >= 12020  // headers without the struct lack the calls
  // CU_GRAPH_NODE_TYPE_CONDITIONAL, in headers from 12.3 on
  constexpr auto kConditional = static_cast<CUgraphNodeType>(13);
  const auto* node = static_cast<const CUgraphNodeParams*>(last_of(rest...));
  if (node == nullptr) return;
  if (node->type == CU_GRAPH_NODE_TYPE_GRAPH) child_added(graph, node->graph.graph);
  if (node->type == kConditional) graph_in_doubt(graph, format::kGraphConditional);
#endif
}
inline void after(Tag<cuGraphAddNode>, const Target&, CUresult result, CUgraphNode*, CUgraph graph,
                  auto... rest) {
  if (result == CUDA_SUCCESS) node_added(graph, rest...);
}

template <Api api>
requires AnyOf<api, cuGraphInstantiate, cuGraphInstantiateWithFlags, cuGraphInstantiateWithParams>
void after(Tag<api>, const Target&, CUresult result, CUgraphExec* executable, CUgraph graph,
           auto...) {
  if (result == CUDA_SUCCESS && executable != nullptr) graph_instantiated(*executable, graph);
}
inline void after(Tag<cuGraphExecUpdate>, const Target&, CUresult result, CUgraphExec executable,
                  CUgraph graph, auto...) {
  if (result == CUDA_SUCCESS) graph_instantiated(executable, graph);
}
template <Api api>
requires AnyOf<api, cuGraphExecKernelNodeSetParams, cuGraphExecChildGraphNodeSetParams,
               cuGraphExecNodeSetParams, cuGraphNodeSetEnabled>
void after(Tag<api>, const Target&, CUresult result, CUgraphExec executable, auto...) {
  if (result == CUDA_SUCCESS) graph_in_doubt(executable, format::kGraphEdited);
}

template <Api api>
requires AnyOf<api, cuStreamEndCapture, cuGraphAddChildGraphNode, cuGraphAddNode,
               cuGraphInstantiate, cuGraphInstantiateWithFlags, cuGraphInstantiateWithParams,
               cuGraphExecUpdate, cuGraphExecKernelNodeSetParams,
               cuGraphExecChildGraphNodeSetParams, cuGraphExecNodeSetParams, cuGraphNodeSetEnabled>
void describe(Tag<api>, const Target&, Details& d, auto...) {
  describe_graph(d);
}

}  // namespace mfushim::shim
