// The double's one state, and its way to the driver double.
#include "state.hpp"

#include <dlfcn.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace mfusim::cupti {
namespace {

struct Hooks {
  MfusimSetTracerFn set_tracer = nullptr;
  MfusimKernelNameFn kernel_name = nullptr;
  MfusimIdFn id = nullptr;
  MfusimStubFn stub = nullptr;

  Hooks() {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver) return;
    set_tracer = reinterpret_cast<MfusimSetTracerFn>(dlsym(driver, MFUSIM_SET_TRACER_SYMBOL));
    kernel_name = reinterpret_cast<MfusimKernelNameFn>(dlsym(driver, MFUSIM_KERNEL_NAME_SYMBOL));
    id = reinterpret_cast<MfusimIdFn>(dlsym(driver, MFUSIM_ID_SYMBOL));
    stub = reinterpret_cast<MfusimStubFn>(dlsym(driver, MFUSIM_STUB_SYMBOL));
  }
};
const Hooks& hooks() {
  static const Hooks* h = new Hooks;
  return *h;
}

// Calls from this one on belong to what was enabled last.
void begin_new_kinds(uint32_t correlation) {
  State& s = state();
  if (!s.newly_enabled.load(std::memory_order_relaxed) || !s.newly_enabled.exchange(false)) return;
  for (auto& first : s.first_correlation) {
    uint32_t none = 0;
    first.compare_exchange_strong(none, correlation);
  }
}

void slow_down(const MfusimApi& api) {
  const uint64_t until = now_ns() + misbehaviour().slow_ns;
  if (strncmp(api.name, "cuLaunch", 8) != 0 || !enabled(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL))
    return;
  while (now_ns() < until) {
  }
}

void enter(MfusimApi* api) {
  state().newest_correlation.store(api->correlation, std::memory_order_relaxed);
  begin_new_kinds(api->correlation);
  call_subscriber(*api, CUPTI_API_ENTER);
  if (misbehaviour().slow_ns != 0) slow_down(*api);
}
void leave(MfusimApi* api) {
  call_subscriber(*api, CUPTI_API_EXIT);
  record_api(*api);
}
void activity(const MfusimActivity* a) {
  record_activity(*a);
}
void synchronization(const MfusimSync* s) {
  record_sync(*s);
}
constexpr MfusimTracer kTracer{enter, leave, activity, synchronization};

}  // namespace

State& state() {
  static State* s = new State;
  return *s;
}

CUptiResult attach() {
  if (!hooks().set_tracer) return CUPTI_ERROR_NOT_INITIALIZED;
  hooks().set_tracer(&kTracer);
  return CUPTI_SUCCESS;
}

const char* kernel_name(const void* function) {
  return hooks().kernel_name ? hooks().kernel_name(function) : nullptr;
}

uint64_t id_of(MfusimHandleKind kind, void* handle) {
  return hooks().id ? hooks().id(kind, handle) : 0;
}

uint64_t now_ns() {
  timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return uint64_t(t.tv_sec) * 1'000'000'000u + uint64_t(t.tv_nsec);
}

CUptiResult stub_hit(const char* function) {
  if (hooks().stub) hooks().stub(MFUSIM_CUPTI_SONAME, function);
  return CUPTI_ERROR_NOT_SUPPORTED;
}

}  // namespace mfusim::cupti
