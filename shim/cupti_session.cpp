// The subscription to CUPTI and what it calls back.
#include "cupti_session.hpp"

#include <dlfcn.h>
#include <time.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "cupti_buffers.hpp"
#include "cupti_find.hpp"
#include "cupti_layout.hpp"
#include "cupti_others.hpp"
#include "cupti_records.hpp"
#include "loaded.hpp"
#include "recorder.hpp"
#include "ring.hpp"
#include "writer.hpp"

// Last, since cuda.h's macros rename what the rows of the log format spell out.
#include <cupti.h>

namespace mfushim::shim::cupti {

namespace {

static_assert(kMemcpy == CUPTI_ACTIVITY_KIND_MEMCPY);
static_assert(kMemset == CUPTI_ACTIVITY_KIND_MEMSET);
static_assert(kKernel == CUPTI_ACTIVITY_KIND_KERNEL);
static_assert(kConcurrentKernel == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
static_assert(kMemcpyPeer == CUPTI_ACTIVITY_KIND_MEMCPY2);
static_assert(kernel::kStart == offsetof(CUpti_ActivityKernel8, start));
static_assert(kernel::kGrid == offsetof(CUpti_ActivityKernel8, gridX));
static_assert(kernel::kCorrelation == offsetof(CUpti_ActivityKernel8, correlationId));
static_assert(kernel::kName == offsetof(CUpti_ActivityKernel8, name));
static_assert(kernel::kGraph == offsetof(CUpti_ActivityKernel8, graphId));
static_assert(kernel::kCluster == offsetof(CUpti_ActivityKernel8, clusterX));
static_assert(copy::kCorrelation == offsetof(CUpti_ActivityMemcpy5, correlationId));
static_assert(copy::kGraph == offsetof(CUpti_ActivityMemcpy5, graphId));
static_assert(peer_copy::kCorrelation == offsetof(CUpti_ActivityMemcpyPtoP4, correlationId));
static_assert(peer_copy::kGraph == offsetof(CUpti_ActivityMemcpyPtoP4, graphId));
static_assert(set::kCorrelation == offsetof(CUpti_ActivityMemset4, correlationId));
static_assert(set::kGraph == offsetof(CUpti_ActivityMemset4, graphId));

constexpr std::array kActivities = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                    CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2,
                                    CUPTI_ACTIVITY_KIND_MEMSET};
// Driver calls that make device work; found by name, so that new variants are among them.
constexpr std::array<std::string_view, 4> kTracedCalls = {"cuLaunch", "cuGraphLaunch", "cuMemcpy",
                                                          "cuMemset"};
constexpr std::uint32_t kFlushMilliseconds = 1000;
constexpr std::uint32_t kCallbackIds = 2048;  // beyond the last of any CUPTI so far

// The functions used, all of them public.
#define MFUSHIM_CUPTI_FUNCTIONS(X)          \
  X(cuptiActivityRegisterCallbacks)         \
  X(cuptiActivityRegisterTimestampCallback) \
  X(cuptiActivityEnable)                    \
  X(cuptiActivityDisable)                   \
  X(cuptiActivityFlushAll)                  \
  X(cuptiActivityFlushPeriod)               \
  X(cuptiActivityGetNextRecord)             \
  X(cuptiActivityGetNumDroppedRecords)      \
  X(cuptiEnableCallback)                    \
  X(cuptiGetCallbackName)                   \
  X(cuptiGetResultString)                   \
  X(cuptiGetTimestamp)                      \
  X(cuptiGetVersion)                        \
  X(cuptiSubscribe)                         \
  X(cuptiUnsubscribe)

struct Functions {
#define MFUSHIM_DECLARE(name) decltype(&::name) name;
  MFUSHIM_CUPTI_FUNCTIONS(MFUSHIM_DECLARE)
#undef MFUSHIM_DECLARE
};

struct Session {
  Functions call{};
  std::uint32_t version = 0;
  CUpti_SubscriberHandle subscriber = nullptr;
  char reason[160] = "";
};
constinit Session g_session;

// The name of the first function that is missing; null when all are there.
const char* load(Functions& call, void* library) noexcept {
#define MFUSHIM_LOAD(name) \
  if (!find_function(library, #name, call.name)) return #name;
  MFUSHIM_CUPTI_FUNCTIONS(MFUSHIM_LOAD)
#undef MFUSHIM_LOAD
  return nullptr;
}

// Remembers why there are no device times; always false.
bool refuse(Session& s, const char* what, CUptiResult result) noexcept {
  const char* text = nullptr;
  if (s.call.cuptiGetResultString == nullptr ||
      s.call.cuptiGetResultString(result, &text) != CUPTI_SUCCESS || text == nullptr)
    text = "unknown error";
  std::snprintf(s.reason, sizeof s.reason, "%s: error %d, %s", what, static_cast<int>(result),
                text);
  return false;
}

void CUPTIAPI on_buffer_wanted(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  *buffer = take_buffer(g_session.version < kTakesNoBuffer);
  *size = *buffer != nullptr ? kBufferBytes : 0;
  *max_records = 0;
}

// In CUPTI's own thread there is time to let the writer make room; a job's thread that brings in
// records at the end waits no longer than this per buffer.
void wait_for_room() noexcept {
  constexpr int kTries = 200;
  constexpr std::size_t kChunksPerBuffer = 12;
  const format::Ring ring = current_ring();
  for (int i = 0; ring && i < kTries; ++i) {
    if (ring.header().free_chunks.load() > kChunksPerBuffer) return;
    wake_writer(ring.header());
    const timespec pause = {0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
}

void count_cost(std::uint64_t records, std::uint64_t ns) noexcept {
  const format::Ring ring = current_ring();
  if (!ring) return;
  auto& cost = ring.header().costs[static_cast<std::size_t>(format::RingCost::kCupti)];
  cost.count.fetch_add(records);
  cost.total_ns.fetch_add(ns);
}

// CUPTI counts anew from here on.
void count_dropped(const Session& s, CUcontext context, std::uint32_t stream) noexcept {
  std::size_t dropped = 0;
  if (s.call.cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS &&
      dropped > 0)
    loss(format::LossCause::kGpuDropped, dropped, "CUPTI had no buffer");
}

void CUPTIAPI on_buffer_full(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                             std::size_t bytes, std::size_t valid) {
  Session& s = g_session;
  if (!is_our_buffer(buffer)) {
    const Callbacks others = others_callbacks();
    if (buffer != nullptr && others.full != nullptr)
      others.full(context, stream, buffer, bytes, valid);
    return;
  }
  wait_for_room();
  const std::uint64_t begin = detail::monotonic_ns();
  std::uint64_t records = 0;
  CUpti_Activity* activity = nullptr;
  while (valid > 0 &&
         s.call.cuptiActivityGetNextRecord(buffer, valid, &activity) == CUPTI_SUCCESS) {
    record_activity(reinterpret_cast<const std::uint8_t*>(activity));
    ++records;
  }
  count_dropped(s, context, stream);
  give_back(buffer);
  count_cost(records, detail::monotonic_ns() - begin);
}

// Runs in the thread that calls CUDA, inside the driver's function.
void CUPTIAPI on_call(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
    const auto& call = *static_cast<const CUpti_CallbackData*>(data);
    if (call.callbackSite == CUPTI_API_ENTER) thread_state().correlation = call.correlationId;
  } else if (domain == CUPTI_CB_DOMAIN_RESOURCE &&
             id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) {
    g_session.call.cuptiActivityFlushAll(0);
  }
}

bool is_traced(std::string_view name) noexcept {
  for (const std::string_view prefix : kTracedCalls)
    if (name.starts_with(prefix)) return true;
  return false;
}

bool enable_callbacks(Session& s) noexcept {
  CUptiResult failure = CUPTI_ERROR_UNKNOWN;
  bool any = false;
  for (std::uint32_t id = 1; id < kCallbackIds; ++id) {
    const char* name = nullptr;
    if (s.call.cuptiGetCallbackName(CUPTI_CB_DOMAIN_DRIVER_API, id, &name) != CUPTI_SUCCESS ||
        name == nullptr || !is_traced(name))
      continue;
    const CUptiResult r =
        s.call.cuptiEnableCallback(1, s.subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id);
    any = any || r == CUPTI_SUCCESS;
    if (r != CUPTI_SUCCESS) failure = r;
  }
  if (!any) return refuse(s, "cuptiEnableCallback", failure);
  s.call.cuptiEnableCallback(1, s.subscriber, CUPTI_CB_DOMAIN_RESOURCE,
                             CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
  return true;
}

void disable_activities(Session& s) noexcept {
  for (const CUpti_ActivityKind kind : kActivities) s.call.cuptiActivityDisable(kind);
}

std::uint64_t CUPTIAPI on_time_wanted() {
  return realtime_ns();
}

// CUPTI's clock is CLOCK_REALTIME, unless others gave it one: that may count in other units.
bool counts_real_time(Session& s) noexcept {
  constexpr std::uint64_t kSameClockNs = 1'000'000'000;
  std::uint64_t gpu = 0;
  if (s.call.cuptiGetTimestamp(&gpu) != CUPTI_SUCCESS) return true;
  const std::uint64_t real = realtime_ns();
  return (gpu > real ? gpu - real : real - gpu) < kSameClockNs;
}

bool enable_activities(Session& s) noexcept {
  CUptiResult r = s.call.cuptiActivityRegisterCallbacks(on_buffer_wanted, on_buffer_full);
  if (r != CUPTI_SUCCESS) return refuse(s, "cuptiActivityRegisterCallbacks", r);
  if (!counts_real_time(s)) s.call.cuptiActivityRegisterTimestampCallback(on_time_wanted);
  // CUPTI's own heuristics may keep full buffers for long, and a kill loses what it keeps.
  s.call.cuptiActivityFlushPeriod(kFlushMilliseconds);
  for (const CUpti_ActivityKind kind : kActivities)
    if ((r = s.call.cuptiActivityEnable(kind)) != CUPTI_SUCCESS)
      return refuse(s, "cuptiActivityEnable", r);
  return true;
}

// Makes CUPTI hand over all that it has. Only what is still held then comes by force: if it runs,
// without an end.
void bring_in(const Session& s) noexcept {
  s.call.cuptiActivityFlushAll(0);
  if (buffers_in_use() > 0) s.call.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  count_dropped(s, nullptr, 0);
}

// As others had it.
void restore(Session& s) noexcept {
  const Callbacks others = others_callbacks();
  s.call.cuptiActivityFlushPeriod(0);
  if (others.wanted != nullptr)
    s.call.cuptiActivityRegisterCallbacks(
        reinterpret_cast<CUpti_BuffersCallbackRequestFunc>(others.wanted),
        reinterpret_cast<CUpti_BuffersCallbackCompleteFunc>(others.full));
  if (others.timestamp != nullptr) s.call.cuptiActivityRegisterTimestampCallback(others.timestamp);
  s.call.cuptiUnsubscribe(s.subscriber);
}

// Once in a process: buffers of an earlier session may still come while the next one opens.
bool find_functions(Session& s) noexcept {
  if (s.version != 0) return true;
  void* const library = open_library();
  if (library == nullptr) {
    std::snprintf(s.reason, sizeof s.reason, "no CUPTI library found");
    return false;
  }
  if (const char* const missing = load(s.call, library)) {
    std::snprintf(s.reason, sizeof s.reason, "CUPTI has no %s", missing);
    return false;
  }
  std::uint32_t version = 0;
  const CUptiResult r = s.call.cuptiGetVersion(&version);
  if (r != CUPTI_SUCCESS) return refuse(s, "cuptiGetVersion", r);
  if (version < kOldestVersion) {
    std::snprintf(s.reason, sizeof s.reason, "CUPTI of API version %u is older than CUDA 11.8's",
                  version);
    return false;
  }
  s.version = version;
  return true;
}

}  // namespace

bool open_session() noexcept {
  Session& s = g_session;
  if (is_held_by_others()) {
    std::snprintf(s.reason, sizeof s.reason, "the program uses CUPTI itself");
    return false;
  }
  if (!find_functions(s)) return false;
  const CUptiResult r = s.call.cuptiSubscribe(&s.subscriber, on_call, nullptr);
  if (r != CUPTI_SUCCESS) return refuse(s, "cuptiSubscribe", r);
  if (enable_callbacks(s) && enable_activities(s)) return true;
  disable_activities(s);
  restore(s);
  return false;
}
const char* why_no_session() noexcept {
  return g_session.reason;
}

// CUPTI's clock is CLOCK_REALTIME unless somebody gave it another: the difference tells.
format::GpuTime begin_times() noexcept {
  constexpr int kTries = 5;
  constexpr std::int64_t kSameClockNs = 100'000;
  Session& s = g_session;
  format::GpuTime result{format::GpuTimeSource::kCupti, now(), 0, 0, "CUPTI activity records"};
  std::uint64_t narrowest = ~std::uint64_t{0};
  for (int i = 0; i < kTries; ++i) {
    std::uint64_t gpu = 0;
    const std::uint64_t before = realtime_ns();
    if (s.call.cuptiGetTimestamp(&gpu) != CUPTI_SUCCESS) return result;
    const std::uint64_t width = realtime_ns() - before;
    if (width >= narrowest) continue;
    narrowest = width;
    result.offset_ns = static_cast<std::int64_t>(before + width / 2 - gpu);
    result.error_ns = static_cast<std::uint32_t>(width / 2 + 1);
  }
  if (result.offset_ns > -kSameClockNs && result.offset_ns < kSameClockNs) result.offset_ns = 0;
  return result;
}

void close_session() noexcept {
  constexpr int kTries = 20;
  Session& s = g_session;
  disable_activities(s);
  // What is complete; then what still runs, as long as that takes a moment and no more.
  s.call.cuptiActivityFlushAll(0);
  for (int i = 0; i < kTries && buffers_in_use() > 0; ++i) {
    const timespec pause = {0, 10'000'000};
    nanosleep(&pause, nullptr);
    s.call.cuptiActivityFlushAll(0);
  }
  count_dropped(s, nullptr, 0);
  restore(s);
}

void yield_session() noexcept {
  Session& s = g_session;
  disable_activities(s);
  bring_in(s);
  restore(s);
}

void collect_late_records() noexcept {
  if (buffers_in_use() > 0 && others_callbacks().wanted == nullptr) bring_in(g_session);
}

void end_session() noexcept {
  Session& s = g_session;
  bring_in(s);
  disable_activities(s);
  s.call.cuptiUnsubscribe(s.subscriber);
}

}  // namespace mfushim::shim::cupti
