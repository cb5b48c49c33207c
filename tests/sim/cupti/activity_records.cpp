// From what the driver double reports to CUPTI's records, in the installed headers' newest layouts.
#include <pthread.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <vector>

#include "layout.hpp"
#include "state.hpp"

namespace mfusim::cupti {
namespace {

thread_local std::map<CUpti_ExternalCorrelationKind, std::vector<uint64_t>> t_external;

template <typename T>
Record pack(const T& record, uint64_t ready_ns) {
  static_assert(sizeof(T) <= kMaxRecordBytes);
  Record r;
  r.ready_ns = ready_ns;
  r.bytes = uint16_t(bytes_in_layout(record.kind, sizeof(T)));
  if (r.bytes > sizeof(T)) r.data.fill(0xee);  // nobody must read what the headers do not know
  memcpy(r.data.data(), &record, sizeof(T));
  return r;
}

template <typename T>
Record pack_timed(T record, uint64_t start, uint64_t end) {
  record.start = start;
  record.end = end;
  Record r = pack(record, end);
  r.start_offset = offsetof(T, start);
  r.end_offset = offsetof(T, end);
  return r;
}

void set_times(Record& record, uint64_t start, uint64_t end) {
  memcpy(record.data.data() + record.start_offset, &start, sizeof start);
  memcpy(record.data.data() + record.end_offset, &end, sizeof end);
}

// Device records alone are spoilt on request.
void keep_device(Record record, const MfusimActivity& a) {
  constexpr uint64_t kSecond = 1'000'000'000, kHour = 3600 * kSecond;
  switch (misbehaviour().fault_of(a.correlation)) {
    case Fault::kNone:
      break;
    case Fault::kDrop: {
      std::lock_guard lock(state().mutex);
      ++state().dropped;
      return;
    }
    case Fault::kLose:
      return;
    case Fault::kZero:
      set_times(record, 0, 0);
      break;
    case Fault::kSwap:
      set_times(record, a.end_ns, a.start_ns);
      break;
    case Fault::kLong:
      set_times(record, a.start_ns, a.end_ns + kHour);
      break;
    case Fault::kEarly:
      set_times(record, a.start_ns - kSecond, a.end_ns - kSecond);
      break;
  }
  keep(record);
}

template <typename T>
T with_origin(const MfusimActivity& a) {
  T r{};
  r.deviceId = a.device;
  r.contextId = a.context;
  r.streamId = a.stream;
  r.correlationId = a.correlation;
  r.graphId = a.graph;
  r.graphNodeId = a.graph_node;
  return r;
}

void record_kernel(const MfusimActivity& a) {
  const bool serial = covers(CUPTI_ACTIVITY_KIND_KERNEL, a.correlation);
  if (!serial && !covers(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, a.correlation)) return;
  if (a.graph && enabled(CUPTI_ACTIVITY_KIND_GRAPH_TRACE))
    return;  // one record for the whole launch instead
  auto r = with_origin<KernelRecord>(a);
  r.kind = serial ? CUPTI_ACTIVITY_KIND_KERNEL : CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  r.name = a.name;
  r.gridX = int32_t(a.grid[0]);
  r.gridY = int32_t(a.grid[1]);
  r.gridZ = int32_t(a.grid[2]);
  r.blockX = int32_t(a.block[0]);
  r.blockY = int32_t(a.block[1]);
  r.blockZ = int32_t(a.block[2]);
  r.dynamicSharedMemory = int32_t(a.shared_bytes);
  r.registersPerThread = 32;
  r.completed = a.end_ns;
  r.gridId = a.correlation;
  keep_device(pack_timed(r, a.start_ns, a.end_ns), a);
}

uint8_t memory_kind(uint32_t memory) {
  switch (memory) {
    case MFUSIM_PAGEABLE:
      return CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
    case MFUSIM_PINNED:
      return CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
    case MFUSIM_MANAGED:
      return CUPTI_ACTIVITY_MEMORY_KIND_MANAGED;
    default:
      return CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  }
}

uint8_t copy_kind(const MfusimActivity& a) {
  const bool from = a.source >= MFUSIM_DEVICE, to = a.destination >= MFUSIM_DEVICE;
  if (from && to) {
    return a.source_device == a.destination_device ? CUPTI_ACTIVITY_MEMCPY_KIND_DTOD
                                                   : CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
  }
  return from ? CUPTI_ACTIVITY_MEMCPY_KIND_DTOH
         : to ? CUPTI_ACTIVITY_MEMCPY_KIND_HTOD
              : CUPTI_ACTIVITY_MEMCPY_KIND_HTOH;
}

void record_copy(const MfusimActivity& a) {
  const uint8_t kind = copy_kind(a);
  const auto fill = [&](auto r, CUpti_ActivityKind record_kind) {
    r.kind = record_kind;
    r.copyKind = kind;
    r.srcKind = memory_kind(a.source);
    r.dstKind = memory_kind(a.destination);
    r.flags = CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC;
    r.bytes = a.bytes;
    return r;
  };
  if (kind == CUPTI_ACTIVITY_MEMCPY_KIND_PTOP) {
    if (!covers(CUPTI_ACTIVITY_KIND_MEMCPY2, a.correlation)) return;
    auto r = fill(with_origin<PeerCopyRecord>(a), CUPTI_ACTIVITY_KIND_MEMCPY2);
    r.srcDeviceId = a.source_device;
    r.dstDeviceId = a.destination_device;
    keep_device(pack_timed(r, a.start_ns, a.end_ns), a);
  } else if (covers(CUPTI_ACTIVITY_KIND_MEMCPY, a.correlation)) {
    keep_device(pack_timed(fill(with_origin<CopyRecord>(a), CUPTI_ACTIVITY_KIND_MEMCPY), a.start_ns,
                           a.end_ns),
                a);
  }
}

void record_set(const MfusimActivity& a) {
  if (!covers(CUPTI_ACTIVITY_KIND_MEMSET, a.correlation)) return;
  auto r = with_origin<SetRecord>(a);
  r.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  r.value = a.value;
  r.bytes = a.bytes;
  r.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  keep_device(pack_timed(r, a.start_ns, a.end_ns), a);
}

void record_graph(const MfusimActivity& a) {
  if (!covers(CUPTI_ACTIVITY_KIND_GRAPH_TRACE, a.correlation)) return;
  GraphRecord r{};
  r.kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
  r.deviceId = a.device;
  r.contextId = a.context;
  r.streamId = a.stream;
  r.correlationId = a.correlation;
  r.graphId = a.graph;
  keep_device(pack_timed(r, a.start_ns, a.end_ns), a);
}

bool call_wanted(const MfusimApi& api) {
  if (api.cbid == 0) return false;
  State& s = state();
  const bool driver = api.domain == MFUSIM_DOMAIN_DRIVER;
  const bool whole = enabled(driver ? CUPTI_ACTIVITY_KIND_DRIVER : CUPTI_ACTIVITY_KIND_RUNTIME);
  std::lock_guard lock(s.mutex);
  if (whole) return !(driver ? s.driver_without : s.runtime_without).count(api.cbid);
  return (driver ? s.driver_only : s.runtime_only).count(api.cbid) != 0;
}

void record_external(const MfusimApi& api) {
  if (!enabled(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION)) return;
  for (const auto& [kind, stack] : t_external) {
    if (stack.empty()) continue;
    ExternalRecord r{};
    r.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
    r.externalKind = kind;
    r.externalId = stack.back();
    r.correlationId = api.correlation;
    keep(pack(r, 0));
  }
}

}  // namespace

// The driver calls that the runtime makes leave no record of their own: in public traces of
// torch.profiler no correlation id has both (and PyTorch 2.6 holds that to be an error).
void record_api(const MfusimApi& api) {
  if (!call_wanted(api) || (api.domain == MFUSIM_DOMAIN_DRIVER && api.depth > 0)) return;
  ApiRecord r{};
  r.kind =
      api.domain == MFUSIM_DOMAIN_DRIVER ? CUPTI_ACTIVITY_KIND_DRIVER : CUPTI_ACTIVITY_KIND_RUNTIME;
  r.cbid = api.cbid;
  r.processId = uint32_t(getpid());
  r.threadId = state().system_thread_ids.load() ? uint32_t(gettid()) : uint32_t(pthread_self());
  r.correlationId = api.correlation;
  r.returnValue = uint32_t(api.result);
  Record record = pack(r, 0);
  memcpy(record.data.data() + offsetof(ApiRecord, start), &api.start_ns, sizeof api.start_ns);
  memcpy(record.data.data() + offsetof(ApiRecord, end), &api.end_ns, sizeof api.end_ns);
  record.start_offset = offsetof(ApiRecord, start);
  record.end_offset = offsetof(ApiRecord, end);
  if (api.depth == 0) record_external(api);
  keep(record);
}

void record_activity(const MfusimActivity& a) {
  switch (a.kind) {
    case MFUSIM_KERNEL:
      return record_kernel(a);
    case MFUSIM_COPY:
      return record_copy(a);
    case MFUSIM_SET:
      return record_set(a);
    default:
      return record_graph(a);
  }
}

void record_sync(const MfusimSync& sync) {
  if (!enabled(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION)) return;
  SyncRecord r{};
  r.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  r.type = CUpti_ActivitySynchronizationType(sync.kind);
  r.contextId = sync.context;
  r.streamId =
      sync.kind == MFUSIM_SYNC_STREAM ? sync.stream : uint32_t(CUPTI_SYNCHRONIZATION_INVALID_VALUE);
  r.cudaEventId =
      sync.kind == MFUSIM_SYNC_EVENT ? sync.event : uint32_t(CUPTI_SYNCHRONIZATION_INVALID_VALUE);
  r.correlationId = sync.correlation;
  keep(pack_timed(r, sync.start_ns, sync.end_ns));
}

static size_t own_bytes(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return sizeof(KernelRecord);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return sizeof(CopyRecord);
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return sizeof(PeerCopyRecord);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return sizeof(SetRecord);
    case CUPTI_ACTIVITY_KIND_DRIVER:
    case CUPTI_ACTIVITY_KIND_RUNTIME:
      return sizeof(ApiRecord);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
      return sizeof(ExternalRecord);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return sizeof(SyncRecord);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return sizeof(OverheadRecord);
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return sizeof(GraphRecord);
    default:
      return 0;
  }
}

size_t record_bytes(CUpti_ActivityKind kind) {
  return bytes_in_layout(kind, own_bytes(kind));
}

}  // namespace mfusim::cupti

using namespace mfusim::cupti;

extern "C" CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind,
                                                              uint64_t id) {
  t_external[kind].push_back(id);
  return CUPTI_SUCCESS;
}
extern "C" CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind,
                                                             uint64_t* last) {
  auto& stack = t_external[kind];
  if (stack.empty()) return CUPTI_ERROR_QUEUE_EMPTY;
  if (last) *last = stack.back();
  stack.pop_back();
  return CUPTI_SUCCESS;
}
