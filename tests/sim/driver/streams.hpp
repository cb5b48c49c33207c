// Streams and events: where work is ordered.
#pragma once
#include <atomic>

#include "contexts.hpp"
#include "timeline.hpp"

namespace mfusim {

struct Capture;
struct Node;

struct Stream {
  uint32_t id = 0;
  Context* context = nullptr;
  unsigned flags = 0;  // CU_STREAM_NON_BLOCKING
  int priority = 0;
  bool legacy = false;
  WorkPtr tail;  // last work issued
  // While capturing: the capture and the nodes that the next one comes after.
  std::shared_ptr<Capture> capture;
  std::vector<Node*> frontier;
  bool blocking() const { return !(flags & CU_STREAM_NON_BLOCKING); }
};

struct Event {
  uint32_t id = 0;
  unsigned flags = 0;
  uint32_t context = 0;
  bool recorded = false;
  WorkPtr at;
  // Recorded in a capture: the nodes then at the stream's front.
  std::shared_ptr<Capture> capture;
  std::vector<Node*> nodes;
};

// Ids as CUPTI shows them: the legacy default stream is 7.
constexpr uint32_t kLegacyStreamId = 7;

Handles<Stream, CUstream>& streams();
Handles<Event, CUevent>& events();

std::shared_ptr<Stream> new_default_stream(Context& context, uint32_t id);
void forget_streams(const Context& context);

// The stream that a handle means (0, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD or a made one); NULL
// when invalid.
Stream* find_stream(CUstream handle);
// What new work in the stream comes after: its own last work, and by the rules of the legacy
// default stream.
std::vector<WorkPtr> before_next(const Stream& stream);
Origin origin_of(const Stream& stream);

// Puts an operation into the stream: captured, or issued now. The one way in for everything a
// stream does.
CUresult issue(Stream& stream, OperationPtr operation, WorkPtr* issued = nullptr);

void wait_for_context(Lock& lock, const Context& context);
// Blocks until the stream's work is done, and reports the wait.
void wait_for_stream(Lock& lock, const Stream& stream);

// Names the stream `stream` of a handle argument in a call that has MFUSIM_NEED_CONTEXT.
#define MFUSIM_NEED_STREAM(name, handle) \
  Stream* name = find_stream(handle);    \
  if (!name) return CUDA_ERROR_INVALID_HANDLE

}  // namespace mfusim
