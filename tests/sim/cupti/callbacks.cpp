// The callback interface: one subscriber, called at entry and exit of the driver and runtime calls
// it enabled.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <set>

#include "callback_names.hpp"
#include "state.hpp"

namespace mfusim::cupti {
namespace {

struct Subscriber {
  std::mutex mutex;
  CUpti_CallbackFunc call = nullptr;
  void* data = nullptr;
  std::set<uint32_t> domains;                       // whole domains
  std::set<std::pair<uint32_t, uint32_t>> calls;    // (domain, cbid)
  std::set<std::pair<uint32_t, uint32_t>> without;  // taken out of a whole domain
  bool wants(uint32_t domain, uint32_t cbid) const {
    return calls.count({domain, cbid}) || (domains.count(domain) && !without.count({domain, cbid}));
  }
};
Subscriber& subscriber() {
  static Subscriber* s = new Subscriber;
  return *s;
}
std::atomic<bool> g_listening{false};

CUpti_SubscriberHandle handle() {
  return reinterpret_cast<CUpti_SubscriberHandle>(&subscriber());
}

// The kernel of a launch call, from its arguments.
const char* launched_kernel(const MfusimApi& api) {
  if (!api.params) return nullptr;
  const auto* words = static_cast<const void* const*>(api.params);
  for (const char* first :
       {"cuLaunchKernel", "cuLaunchKernel_ptsz", "cuLaunchCooperativeKernel",
        "cuLaunchCooperativeKernel_ptsz", "__cudaLaunchKernel", "__cudaLaunchKernel_ptsz"}) {
    if (strcmp(api.name, first) == 0) return kernel_name(words[0]);
  }
  return strncmp(api.name, "cuLaunchKernelEx", 16) == 0 ? kernel_name(words[1]) : nullptr;
}

CUptiResult subscribe(CUpti_SubscriberHandle* out, CUpti_CallbackFunc call, void* data) {
  if (!out || !call) return CUPTI_ERROR_INVALID_PARAMETER;
  if (misbehaviour().refusal) return misbehaviour().refusal;
  Subscriber& s = subscriber();
  std::lock_guard lock(s.mutex);
  if (s.call) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  if (CUptiResult bad = attach()) return bad;
  s.call = call;
  s.data = data;
  *out = handle();
  state().sessions.fetch_add(1);
  g_listening.store(true);
  return CUPTI_SUCCESS;
}

}  // namespace

void call_subscriber(MfusimApi& api, CUpti_ApiCallbackSite site) {
  if (!g_listening.load(std::memory_order_relaxed) || api.cbid == 0) return;
  Subscriber& s = subscriber();
  const auto domain =
      api.domain == MFUSIM_DOMAIN_DRIVER ? CUPTI_CB_DOMAIN_DRIVER_API : CUPTI_CB_DOMAIN_RUNTIME_API;
  CUpti_CallbackFunc call;
  void* data;
  {
    std::lock_guard lock(s.mutex);
    if (!s.call || !s.wants(domain, api.cbid)) return;
    call = s.call;
    data = s.data;
  }
  CUpti_CallbackData info{};
  info.callbackSite = site;
  info.functionName = api.name;
  info.functionParams = api.params;
  info.functionReturnValue = site == CUPTI_API_EXIT ? &api.result : nullptr;
  info.symbolName = launched_kernel(api);
  info.context = static_cast<CUcontext>(api.context);
  info.contextUid = api.context_id;
  info.correlationData = &api.tracer_data;
  info.correlationId = api.correlation;
  call(data, domain, api.cbid, &info);
}

}  // namespace mfusim::cupti

using namespace mfusim::cupti;

extern "C" {

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* out, CUpti_CallbackFunc call, void* data) {
  return subscribe(out, call, data);
}
#if CUPTI_API_VERSION >= 130000
CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle* out, CUpti_CallbackFunc call, void* data,
                              CUpti_SubscriberParams* params) {
  const CUptiResult result = subscribe(out, call, data);
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED && params &&
      params->oldSubscriberName) {
    snprintf(params->oldSubscriberName, params->oldSubscriberSize, "CUPTI for the simulator");
  }
  return result;
}
#endif

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle which) {
  Subscriber& s = subscriber();
  std::lock_guard lock(s.mutex);
  if (which != handle() || !s.call) return CUPTI_ERROR_INVALID_PARAMETER;
  g_listening.store(false);
  s.call = nullptr;
  s.domains.clear();
  s.calls.clear();
  s.without.clear();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableCallback(uint32_t on, CUpti_SubscriberHandle which,
                                CUpti_CallbackDomain domain, CUpti_CallbackId cbid) {
  Subscriber& s = subscriber();
  std::lock_guard lock(s.mutex);
  if (which != handle() || !s.call) return CUPTI_ERROR_INVALID_PARAMETER;
  const std::pair<uint32_t, uint32_t> call{domain, cbid};
  (on ? s.calls : s.without).insert(call);
  (on ? s.without : s.calls).erase(call);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableDomain(uint32_t on, CUpti_SubscriberHandle which,
                              CUpti_CallbackDomain domain) {
  Subscriber& s = subscriber();
  std::lock_guard lock(s.mutex);
  if (which != handle() || !s.call) return CUPTI_ERROR_INVALID_PARAMETER;
  const auto here = [&](const auto& call) { return call.first == uint32_t(domain); };
  std::erase_if(s.calls, here);
  std::erase_if(s.without, here);
  if (on) {
    s.domains.insert(domain);
  } else {
    s.domains.erase(domain);
  }
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableAllDomains(uint32_t on, CUpti_SubscriberHandle which) {
  for (int domain = CUPTI_CB_DOMAIN_DRIVER_API; domain < CUPTI_CB_DOMAIN_SIZE; ++domain) {
    if (CUptiResult bad = cuptiEnableDomain(on, which, CUpti_CallbackDomain(domain))) return bad;
  }
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetCallbackState(uint32_t* on, CUpti_SubscriberHandle which,
                                  CUpti_CallbackDomain domain, CUpti_CallbackId cbid) {
  Subscriber& s = subscriber();
  std::lock_guard lock(s.mutex);
  if (!on || which != handle()) return CUPTI_ERROR_INVALID_PARAMETER;
  *on = s.wants(domain, cbid);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t cbid, const char** name) {
  if (!name) return CUPTI_ERROR_INVALID_PARAMETER;
  *name = callback_name(domain == CUPTI_CB_DOMAIN_DRIVER_API, cbid);
  return *name ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

}  // extern "C"
