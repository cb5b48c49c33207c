// Devices, contexts and which context is current in a thread.
#pragma once
#include <map>
#include <memory>
#include <vector>

#include "handles.hpp"
#include "process.hpp"

namespace mfusim {

struct Stream;
struct Work;

struct Context {
  uint32_t id = 0;  // as records show it
  int device = 0;
  unsigned flags = 0;
  bool primary = false;
  // False for a primary context that nobody retains: its handle stays, its contents are gone.
  bool alive = true;
  std::shared_ptr<Stream> legacy;
  std::map<uint64_t, std::shared_ptr<Stream>> per_thread;  // by thread_key()
  std::vector<std::shared_ptr<Work>> orphans;  // last work of destroyed streams, while it runs
  std::map<CUlimit, size_t> limits;
};

// Under the lock, except where noted.
Handles<Context, CUcontext>& contexts();
// The calling thread's context; NULL when there is none or it is gone.
Context* current_context();
// As current_context()->id, 0 for none; without the lock (kept per thread, for the tracer).
uint32_t current_context_id();
CUcontext current_context_handle();  // likewise
void make_current(CUcontext context);
bool is_device(CUdevice device);

// A number per thread, never used again.
uint64_t thread_key();

}  // namespace mfusim

// For calls that need a context: takes the lock and names the context `ctx`.
#define MFUSIM_NEED_CONTEXT(ctx)                     \
  Lock lock;                                         \
  [[maybe_unused]] Context* ctx = current_context(); \
  if (!ctx) return CUDA_ERROR_INVALID_CONTEXT
