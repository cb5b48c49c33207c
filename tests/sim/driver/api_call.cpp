// Numbers and reports public calls; see api_call.hpp.
#include "api_call.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "contexts.hpp"
#include "device_clock.hpp"
#include "mfusim/driver.h"
#include "process.hpp"
#include "truth.hpp"

namespace mfusim {
namespace {

constexpr MfusimTracer kNobody{};
std::atomic<const MfusimTracer*> g_tracer{&kNobody};
std::atomic<uint32_t> g_next_correlation{1};

struct CallState {
  uint32_t depth = 0;
  uint32_t correlation = 0;
  const char* name = "";
  bool per_thread = false;
};
thread_local CallState t_call;

// These answer before cuInit.
bool needs_no_init(const char* name) {
  for (const char* free : {"cuInit", "cuDriverGetVersion", "cuGetErrorName", "cuGetErrorString",
                           "cuGetProcAddress", "cuGetProcAddress_v2", "cuGetExportTable"}) {
    if (strcmp(name, free) == 0) return true;
  }
  return false;
}

// Only where somebody compares sequences of calls: ten times as many lines as there is device work.
bool wants_calls() {
  static const bool wanted = truth::wanted() && getenv("MFUSIM_TRUTH_CALLS") != nullptr;
  return wanted;
}

void record_call(const MfusimApi& api) {
  thread_local const auto thread = uint64_t(gettid());
  truth::Object("call").add("api", api.name).add("thread", thread).write();
}

void enter(MfusimApi& api) {
  if (t_call.depth == 0) {
    t_call.correlation = g_next_correlation.fetch_add(1, std::memory_order_relaxed);
    if (wants_calls()) record_call(api);
  }
  api.depth = t_call.depth++;
  api.correlation = t_call.correlation;
  api.context_id = current_context_id();
  api.context = current_context_handle();
  const MfusimTracer* listener = tracer();
  if (listener->enter) listener->enter(&api);
  api.start_ns = now_ns();
}

void leave(MfusimApi& api) {
  api.end_ns = now_ns();
  const MfusimTracer* listener = tracer();
  if (listener->leave) listener->leave(&api);
  --t_call.depth;
}

}  // namespace

ApiCall::ApiCall(const Entry& entry, const void* params)
    : refusal_(driver_usable() || needs_no_init(entry.name) ? CUDA_SUCCESS : unusable_reason()),
      was_per_thread_(t_call.per_thread) {
  api_.domain = MFUSIM_DOMAIN_DRIVER;
  api_.cbid = entry.cbid;
  api_.name = entry.name;
  api_.params = params;
  enter(api_);
  t_call.name = entry.name;
  t_call.per_thread = entry.per_thread;
}

ApiCall::~ApiCall() {
  t_call.per_thread = was_per_thread_;
  leave(api_);
}

uint32_t current_correlation() {
  return t_call.correlation;
}
const char* current_call() {
  return t_call.name;
}
bool per_thread_default() {
  return t_call.per_thread;
}
const MfusimTracer* tracer() {
  return g_tracer.load(std::memory_order_acquire);
}

namespace {
void record_stub(const char* library, const char* function) {
  truth::Object("stub").add("library", library).add("function", function).write();
}
}  // namespace

CUresult stub_hit(const char* function) {
  record_stub("libcuda.so.1", function);
  return CUDA_ERROR_NOT_SUPPORTED;
}

}  // namespace mfusim

MFUSIM_EXPORT void mfusim_set_tracer(const MfusimTracer* tracer) {
  mfusim::g_tracer.store(tracer ? tracer : &mfusim::kNobody, std::memory_order_release);
}
MFUSIM_EXPORT void mfusim_api_enter(MfusimApi* api) {
  mfusim::enter(*api);
}
MFUSIM_EXPORT void mfusim_api_leave(MfusimApi* api) {
  mfusim::leave(*api);
}
MFUSIM_EXPORT void mfusim_stub_hit(const char* library, const char* function) {
  mfusim::record_stub(library, function);
}
MFUSIM_EXPORT void mfusim_truth(const char* json_object_line) {
  mfusim::truth::line(json_object_line);
}
