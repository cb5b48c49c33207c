// Stream capture and its rules (CUDA driver API, "Stream Management",
// cuThreadExchangeStreamCaptureMode).
#include "capture.hpp"

#include <algorithm>
#include <unordered_set>

#include "driver_impl.hpp"

namespace mfusim {
namespace {

uint64_t g_next_capture = 1;
thread_local CUstreamCaptureMode t_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

std::vector<std::shared_ptr<Capture>>& live_captures() {
  static auto* list = new std::vector<std::shared_ptr<Capture>>;
  return *list;
}

template <typename Visitor>
void each_member(const Capture& capture, Visitor visit) {
  streams().each([&](Stream& stream) {
    if (stream.capture.get() == &capture) visit(stream);
  });
  contexts().each([&](Context& context) {
    for (auto& [key, stream] : context.per_thread) {
      if (stream->capture.get() == &capture) visit(*stream);
    }
  });
}

bool forbids(const Capture& capture) {
  if (t_mode == CU_STREAM_CAPTURE_MODE_RELAXED) return false;
  if (capture.thread == thread_key()) return capture.mode != CU_STREAM_CAPTURE_MODE_RELAXED;
  return t_mode == CU_STREAM_CAPTURE_MODE_GLOBAL && capture.mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
}

// Every stream's work must lead to where the origin stream stands.
bool joined(const Capture& capture, const Stream& origin) {
  std::unordered_set<const Node*> reached;
  std::vector<const Node*> todo(origin.frontier.begin(), origin.frontier.end());
  while (!todo.empty()) {
    const Node* node = todo.back();
    todo.pop_back();
    if (!reached.insert(node).second) continue;
    todo.insert(todo.end(), node->dependencies.begin(), node->dependencies.end());
  }
  bool all = true;
  each_member(capture, [&](const Stream& stream) {
    for (const Node* node : stream.frontier) all = all && reached.count(node);
  });
  return all;
}

void end(const std::shared_ptr<Capture>& capture) {
  capture->ended = true;
  std::vector<Stream*> members;
  each_member(*capture, [&](Stream& stream) { members.push_back(&stream); });
  std::erase(live_captures(), capture);
  for (Stream* stream : members) {
    stream->frontier.clear();
    stream->capture.reset();
  }
}

CUresult begin(CUstream handle, std::shared_ptr<Graph> graph, std::vector<Node*> frontier,
               CUstreamCaptureMode mode) {
  MFUSIM_NEED_CONTEXT(context);
  MFUSIM_NEED_STREAM(stream, handle);
  if (stream->legacy) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (stream->capture) return CUDA_ERROR_ILLEGAL_STATE;
  auto capture = std::make_shared<Capture>();
  capture->id = g_next_capture++;
  capture->graph = std::move(graph);
  capture->mode = mode;
  capture->origin = stream;
  capture->thread = thread_key();
  stream->capture = capture;
  stream->frontier = std::move(frontier);
  live_captures().push_back(std::move(capture));
  return CUDA_SUCCESS;
}

// Kept per thread for the caller of cuStreamGetCaptureInfo: valid until the stream's next change.
thread_local std::vector<CUgraphNode> t_frontier;

struct Info {
  CUstreamCaptureStatus* status;
  cuuint64_t* id = nullptr;
  CUgraph* graph = nullptr;
  const CUgraphNode** dependencies = nullptr;
  size_t* count = nullptr;
};

CUresult capture_info(CUstream handle, const Info& out) {
  MFUSIM_NEED_CONTEXT(context);
  MFUSIM_NEED_STREAM(stream, handle);
  if (!out.status) return CUDA_ERROR_INVALID_VALUE;
  const Capture* capture = stream->capture.get();
  *out.status = !capture               ? CU_STREAM_CAPTURE_STATUS_NONE
                : capture->invalidated ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                       : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  if (!capture || capture->invalidated)
    return capture_conflict(*stream) ? CUDA_ERROR_STREAM_CAPTURE_IMPLICIT : CUDA_SUCCESS;
  t_frontier.clear();
  for (const Node* node : stream->frontier) t_frontier.push_back(handle_of(node));
  if (out.id) *out.id = capture->id;
  if (out.graph) *out.graph = graphs().handle_of(capture->graph.get());
  if (out.dependencies) *out.dependencies = t_frontier.data();
  if (out.count) *out.count = t_frontier.size();
  return CUDA_SUCCESS;
}

CUresult update_dependencies(CUstream handle, const CUgraphNode* dependencies, size_t count,
                             unsigned int flags) {
  MFUSIM_NEED_CONTEXT(context);
  MFUSIM_NEED_STREAM(stream, handle);
  if (!stream->capture) return CUDA_ERROR_ILLEGAL_STATE;
  if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES) stream->frontier.clear();
  return find_nodes(dependencies, count, stream->frontier) ? CUDA_SUCCESS
                                                           : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace

CUresult capture_conflict(const Stream& stream) {
  if (stream.capture)
    return stream.capture->invalidated ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
  if (!stream.legacy) return CUDA_SUCCESS;
  CUresult result = CUDA_SUCCESS;
  for (const auto& capture : live_captures()) {
    each_member(*capture, [&](const Stream& member) {
      if (member.context != stream.context || !member.blocking()) return;
      capture->invalidated = true;
      result = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    });
  }
  return result;
}

CUresult capture_operation(Stream& stream, OperationPtr operation) {
  Node* node = stream.capture->graph->add(std::move(operation), stream.frontier);
  stream.frontier = {node};
  return CUDA_SUCCESS;
}

CUresult join_capture(Stream& stream, const Event& event) {
  if (event.capture->ended) return CUDA_ERROR_CAPTURED_EVENT;
  if (event.capture->invalidated) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (stream.legacy) {
    event.capture->invalidated = true;
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  if (stream.capture && stream.capture != event.capture) {
    stream.capture->invalidated = event.capture->invalidated = true;
    return CUDA_ERROR_STREAM_CAPTURE_MERGE;
  }
  stream.capture = event.capture;
  for (Node* node : event.nodes) {
    if (std::find(stream.frontier.begin(), stream.frontier.end(), node) == stream.frontier.end()) {
      stream.frontier.push_back(node);
    }
  }
  return CUDA_SUCCESS;
}

void abandon_capture(const Stream& stream) {
  if (stream.capture) stream.capture->invalidated = true;
}

CUresult refuse_unsafe(const Stream* stream) {
  CUresult result = CUDA_SUCCESS;
  if (stream && stream->capture) {
    stream->capture->invalidated = true;
    result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  for (const auto& capture : live_captures()) {
    if (!forbids(*capture)) continue;
    capture->invalidated = true;
    result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  return result;
}

CUresult impl_cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  if (!mode || *mode > CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
  std::swap(*mode, t_mode);
  return CUDA_SUCCESS;
}

CUresult impl_cuStreamBeginCapture(CUstream stream) {
  return begin(stream, new_graph(), {}, CU_STREAM_CAPTURE_MODE_GLOBAL);
}
CUresult impl_cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  return begin(stream, new_graph(), {}, mode);
}
#if CUDA_VERSION >= 12030
CUresult impl_cuStreamBeginCaptureToGraph(CUstream stream, CUgraph handle,
                                          const CUgraphNode* dependencies, const CUgraphEdgeData*,
                                          size_t count, CUstreamCaptureMode mode) {
  std::shared_ptr<Graph> graph;
  std::vector<Node*> frontier;
  {
    Lock lock;
    graph = graphs().share(handle);
    if (!graph || !find_nodes(dependencies, count, frontier)) return CUDA_ERROR_INVALID_VALUE;
  }
  return begin(stream, std::move(graph), std::move(frontier), mode);
}
#endif

CUresult impl_cuStreamEndCapture(CUstream handle, CUgraph* out) {
  MFUSIM_NEED_CONTEXT(context);
  MFUSIM_NEED_STREAM(stream, handle);
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = nullptr;
  const auto capture = stream->capture;
  if (!capture) return CUDA_ERROR_ILLEGAL_STATE;
  if (capture->origin != stream) return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED && capture->thread != thread_key()) {
    return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  }
  const bool complete = joined(*capture, *stream);
  end(capture);
  if (capture->invalidated) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (!complete) return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  *out = graphs().handle_of(capture->graph.get());
  if (!graphs().find(*out)) graphs().insert(capture->graph);
  return CUDA_SUCCESS;
}

CUresult impl_cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  return capture_info(stream, {.status = status});
}
CUresult impl_cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus* status,
                                     cuuint64_t* id) {
  return capture_info(stream, {.status = status, .id = id});
}
CUresult impl_cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus* status,
                                        cuuint64_t* id, CUgraph* graph,
                                        const CUgraphNode** dependencies, size_t* count) {
  return capture_info(stream, {status, id, graph, dependencies, count});
}
CUresult impl_cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode* dependencies,
                                                size_t count, unsigned int flags) {
  return update_dependencies(stream, dependencies, count, flags);
}
#if CUDA_VERSION >= 12030
CUresult impl_cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus* status,
                                        cuuint64_t* id, CUgraph* graph,
                                        const CUgraphNode** dependencies,
                                        const CUgraphEdgeData** edges, size_t* count) {
  if (edges) *edges = nullptr;
  return capture_info(stream, {status, id, graph, dependencies, count});
}
CUresult impl_cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode* dependencies,
                                                   const CUgraphEdgeData*, size_t count,
                                                   unsigned int flags) {
  return update_dependencies(stream, dependencies, count, flags);
}
#endif

}  // namespace mfusim
