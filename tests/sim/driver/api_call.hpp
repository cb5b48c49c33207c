// What surrounds every public driver call: the correlation id, the tracer's enter and leave,
// whether the driver is usable at all, and which default stream a handle of 0 means.
#pragma once
#include "driver_header.h"
#include "mfusim/tracing.h"

#define MFUSIM_EXPORT extern "C" __attribute__((visibility("default")))

namespace mfusim {

struct Entry {
  const char* name;  // exported
  uint32_t cbid;     // CUPTI_DRIVER_TRACE_CBID_name, 0 when it has none
  bool per_thread;   // _ptsz, _ptds: a stream of 0 is the calling thread's own
};

class ApiCall {
 public:
  ApiCall(const Entry& entry, const void* params);
  ~ApiCall();
  ApiCall(const ApiCall&) = delete;
  ApiCall& operator=(const ApiCall&) = delete;

  bool refused() const { return refusal_ != CUDA_SUCCESS; }
  CUresult refusal() { return done(refusal_); }
  CUresult done(CUresult result) {
    api_.result = result;
    return result;
  }

 private:
  MfusimApi api_{};
  CUresult refusal_;
  bool was_per_thread_;
};

// Facts about the call that this thread is in.
uint32_t current_correlation();
const char* current_call();  // exported name of the driver call
bool per_thread_default();   // see Entry::per_thread

const MfusimTracer* tracer();  // never NULL; its members may be

// Counts a call of a function that is not implemented, in the truth file.
CUresult stub_hit(const char* function);

}  // namespace mfusim
