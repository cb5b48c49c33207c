// CUPTI is the program's when it wants it: before others are served, our session ends, and when
// they are done, there may be another.
#include <string_view>

#include "mfushim/format/api.hpp"
#include "thunk.hpp"

#define MFUSHIM_ROWS "mfushim/format/apis_cupti.def"
#define MFUSHIM_API(symbol, ...) struct symbol;
#include MFUSHIM_ROWS
#undef MFUSHIM_API

#include <cupti.h>

#include "cupti_others.hpp"
#include "gpu_time.hpp"

namespace mfushim::shim {

using format::Api;
using enum format::Api;

static_assert(CUPTI_ERROR_NOT_SUPPORTED == not_supported(format::Library::kCupti));

// The module that calls is who wants it.
template <Api api>
requires AnyOf<api, cuptiSubscribe, cuptiActivityRegisterCallbacks,
               cuptiActivityRegisterTimestampCallback, cuptiActivityEnable,
               cuptiActivityEnableContext, cuptiFinalize>
void before(Tag<api>, const Target& target, auto...) {
  yield_gpu_time(caller_name(caller_number(target.caller)));
}

static void after(Tag<cuptiSubscribe>, const Target&, CUptiResult result, auto...) {
  if (result == CUPTI_SUCCESS) cupti::others_subscribed();
  return_gpu_time();
}

static void after(Tag<cuptiUnsubscribe>, const Target&, CUptiResult result, auto...) {
  if (result == CUPTI_SUCCESS) cupti::others_unsubscribed();
  return_gpu_time();
}

static void after(Tag<cuptiFinalize>, const Target&, CUptiResult, auto...) {
  cupti::others_gone();
  return_gpu_time();
}

static void after(Tag<cuptiActivityRegisterCallbacks>, const Target&, CUptiResult result,
                  CUpti_BuffersCallbackRequestFunc wanted, CUpti_BuffersCallbackCompleteFunc full) {
  if (result == CUPTI_SUCCESS)
    cupti::others_registered(reinterpret_cast<cupti::BufferWanted>(wanted),
                             reinterpret_cast<cupti::BufferFull>(full));
  return_gpu_time();
}

static void after(Tag<cuptiActivityRegisterTimestampCallback>, const Target&, CUptiResult result,
                  cupti::Timestamp timestamp) {
  if (result == CUPTI_SUCCESS) cupti::others_registered(timestamp);
  return_gpu_time();
}

template <Api api>
requires AnyOf<api, cuptiActivityEnable, cuptiActivityEnableContext, cuptiActivityDisable,
               cuptiActivityDisableContext>
void after(Tag<api>, const Target&, CUptiResult result, auto... arguments) {
  const CUpti_ActivityKind kind = last_of(arguments...);
  if (result == CUPTI_SUCCESS)
    cupti::others_enabled(static_cast<std::uint32_t>(kind),
                          AnyOf<api, cuptiActivityEnable, cuptiActivityEnableContext>);
  return_gpu_time();
}

}  // namespace mfushim::shim

mfushim::shim::Entry mfushim_exported_cupti[] = {
#define MFUSHIM_API(symbol, ...) MFUSHIM_EXPORTED(symbol, MFUSHIM_CUDA_VERSION)
#include MFUSHIM_ROWS
#undef MFUSHIM_API
};
