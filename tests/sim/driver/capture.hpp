// Stream capture: which calls become graph nodes, and which would break a capture in progress.
#pragma once
#include "graphs.hpp"
#include "streams.hpp"

namespace mfusim {

struct Capture {
  uint64_t id = 0;
  std::shared_ptr<Graph> graph;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  const Stream* origin = nullptr;
  uint64_t thread = 0;  // thread_key() of who began it
  bool invalidated = false;
  bool ended = false;
};

// The stream is capturing and can take no more, or is the legacy stream and would join a capture
// implicitly.
CUresult capture_conflict(const Stream& stream);
CUresult capture_operation(Stream& stream, OperationPtr operation);
// cuStreamWaitEvent on an event that was recorded in a capture: the stream joins it.
CUresult join_capture(Stream& stream, const Event& event);
void abandon_capture(const Stream& stream);
// For calls that would wait for work, or might, which no capture can contain: an error when the
// given stream (may be NULL) captures, or when a capture's mode forbids such calls to this thread.
// The capture then is broken.
CUresult refuse_unsafe(const Stream* stream);

}  // namespace mfusim
