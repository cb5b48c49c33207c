// What surrounds every public runtime call: loading the driver at the first, tracing, the thread's
// last error, and which default stream is meant.
#pragma once
#include "mfusim/tracing.h"
#include "runtime_header.h"

#define MFUSIM_EXPORT extern "C" __attribute__((visibility("default")))

namespace mfusim::runtime {

struct Entry {
  const char* name;  // exported
  uint32_t cbid;     // CUPTI_RUNTIME_TRACE_CBID_name, 0 when it has none
  bool per_thread;   // _ptsz, _ptds: a stream of 0 is the calling thread's own
};

class ApiCall {
 public:
  ApiCall(const Entry& entry, const void* params);
  ~ApiCall();
  ApiCall(const ApiCall&) = delete;
  ApiCall& operator=(const ApiCall&) = delete;

  bool refused() const { return refusal_ != cudaSuccess; }
  cudaError_t refusal() { return done(refusal_); }
  cudaError_t done(cudaError_t result);

 private:
  MfusimApi api_{};
  const Entry& entry_;
  cudaError_t refusal_;
  bool was_per_thread_;
};

// True inside a _ptsz or _ptds call.
bool per_thread_default();
// What cudaGetLastError reads and clears.
cudaError_t& last_error();
cudaError_t stub_hit(const char* function);

}  // namespace mfusim::runtime
