// Pools of events, and the thread that reads them; see event_timing.hpp.
#include "event_timing.hpp"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>

#include "clock.hpp"
#include "event_clock.hpp"
#include "messages.hpp"
#include "old_glibc.hpp"
#include "recorder.hpp"
#include "threads.hpp"

namespace mfushim::shim::event_timing {

// In order of its life: free (its bit is set), taken by a hook, submitted, read and free again.
struct Pair {
  CUevent begin;
  CUevent end;
  std::uint32_t context;  // its place among the contexts
  std::uint32_t number;   // among all that were timed: also the order in which they are read
  std::uint32_t config;
  std::uint32_t stream_id;
  std::uint64_t stream;
  std::uint64_t asked_ns;  // CLOCK_REALTIME, when the first event went into the stream
  std::uint64_t put_ns;    // likewise, the second one
  Measure measure;
  bool failed;  // a second event was refused
  std::atomic<bool> submitted;
};

namespace {

constexpr std::uint64_t kPauseNs = 1'000'000;         // between two looks at what is done
constexpr std::uint64_t kProductPauseNs = 2'000'000;  // in the mean between two products
constexpr std::uint64_t kProductsLeft = 16;
// An event in a stream that has nothing to do happens within this time of the call.
constexpr std::int64_t kAtOnceNs = 10'000;
constexpr int kStopSeconds = 2;
constexpr std::size_t kContexts = 8, kPairs = 256, kWord = 64;

struct Context {
  std::atomic<CUcontext> handle;  // null: a free place
  std::atomic<bool> ready;        // has events
  std::atomic<bool> lost;         // the program ended it, or a call failed: not to be touched
  std::uint32_t device;
  EventClock clock;
  std::array<Pair, kPairs> pairs;
  std::array<std::atomic<std::uint64_t>, kPairs / kWord> free;
};

struct Reader {
  Driver call;
  std::array<Context, kContexts> contexts;
  std::atomic<std::uint32_t> numbers = 0;
  std::atomic<std::uint64_t> next_product_ns = 0;
  std::atomic<int> products_left = 0;   // until one is timed
  std::atomic<std::uint32_t> stop = 0;  // a futex
  std::atomic<bool> told = false;       // the log knows of the source
  std::atomic<bool> started = false;
  bool over = false;  // the process ends
  pthread_t thread{};
  // Held while events are read: a context that ends waits for that.
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
};
constinit Reader g_reader{};

// Its events went with the program's context.
void empty(Context& c) noexcept {
  c.ready.store(false);
  c.lost.store(false);
  for (auto& word : c.free) word.store(0);
  for (Pair& pair : c.pairs) pair.submitted.store(false);
  c.handle.store(nullptr);
}

// The place of the calling thread's context; a new context is given one, and events by the reader.
Context* current_context() noexcept {
  Reader& r = g_reader;
  CUcontext current = nullptr;
  if (r.call.cuCtxGetCurrent(&current) != CUDA_SUCCESS || current == nullptr) return nullptr;
  for (Context& c : r.contexts) {
    CUcontext known = c.handle.load(std::memory_order_acquire);
    if (known == nullptr && c.handle.compare_exchange_strong(known, current)) return nullptr;
    if (known != current) continue;
    const bool usable = c.ready.load(std::memory_order_acquire) && !c.lost.load();
    return usable ? &c : nullptr;
  }
  return nullptr;
}

Pair* take(Context& c) noexcept {
  for (std::size_t word = 0; word < c.free.size(); ++word) {
    std::uint64_t bits = c.free[word].load(std::memory_order_acquire);
    while (bits != 0) {
      if (c.free[word].compare_exchange_weak(bits, bits & (bits - 1)))
        return &c.pairs[word * kWord + static_cast<std::size_t>(std::countr_zero(bits))];
    }
  }
  return nullptr;
}

void give_back(Pair& pair) noexcept {
  Context& c = g_reader.contexts[pair.context];
  const auto at = static_cast<std::size_t>(&pair - c.pairs.data());
  pair.submitted.store(false);
  c.free[at / kWord].fetch_or(std::uint64_t{1} << (at % kWord), std::memory_order_release);
}

CUresult put(CUevent event, std::uint64_t stream) noexcept {
  return g_reader.call.cuEventRecord(event, reinterpret_cast<CUstream>(stream));
}

// A call failed: the program's own error may be behind it, which is not ours to look at.
void give_up(Context& c) noexcept {
  c.lost.store(true);
  for (const Context& other : g_reader.contexts)
    if (other.ready.load() && !other.lost.load()) return;
  gpu_time(format::GpuTime{format::GpuTimeSource::kNone, now(), 0, 0,
                           "the driver refused events of a context"});
  g_reader.told.store(false);
}

bool fill(Context& c, std::size_t place) noexcept {
  const Driver& call = g_reader.call;
  CUdevice device = 0;
  if (call.cuCtxGetDevice(&device) != CUDA_SUCCESS) return false;
  c.device = static_cast<std::uint32_t>(device);
  if (!c.clock.make(call)) return false;
  for (Pair& pair : c.pairs) {
    pair.context = static_cast<std::uint32_t>(place);
    if (call.cuEventCreate(&pair.begin, CU_EVENT_DEFAULT) != CUDA_SUCCESS ||
        call.cuEventCreate(&pair.end, CU_EVENT_DEFAULT) != CUDA_SUCCESS)
      return false;
  }
  return true;
}

void tell_source(const Context& c) noexcept {
  Reader& r = g_reader;
  if (!is_on() || !c.clock.is_set() || r.told.exchange(true)) return;
  gpu_time(format::GpuTime{format::GpuTimeSource::kEvents, now(), 0, c.clock.error_ns(),
                           "events around collectives, graphs and some products"});
}

void not_timed(std::string_view why) noexcept {
  loss(format::LossCause::kNotTimed, 1, why);
}

// Both events have happened.
void record(Context& c, const Pair& pair) noexcept {
  const auto start = c.clock.time_of(g_reader.call, pair.begin, pair.asked_ns);
  const auto duration = elapsed_ns(g_reader.call, pair.begin, pair.end);
  if (!start || !duration || pair.failed) return not_timed("no time of its events is known");
  const std::int64_t error = c.clock.error_ns();
  const auto asked = static_cast<std::int64_t>(pair.asked_ns);
  const auto put = static_cast<std::int64_t>(pair.put_ns);
  if (*duration < 0 || *start + error < asked)
    return loss(format::LossCause::kGpuInvalid, 1, "times of events that cannot be");
  if (*start + *duration < put + error + kAtOnceNs)
    return not_timed("over before its second event came");
  if (pair.measure == Measure::kOwnTime && *start < put + error + kAtOnceNs)
    return not_timed("a product that met an idle stream");
  format::Queue queue;
  queue.device = c.device;
  queue.context = pair.context + 1;
  queue.stream = pair.stream_id;
  format::GpuKernel kernel;
  kernel.start = static_cast<std::uint64_t>(*start);
  kernel.duration = static_cast<std::uint64_t>(*duration);
  kernel.config = pair.config;
  kernel.correlation = format::kEventCorrelation | pair.number;
  emit_device(intern(queue), kernel);
}

// Reads what has happened, in order; of a stream whose oldest has not, the rest is left alone.
void collect(Context& c) noexcept {
  std::array<Pair*, kPairs> submitted;
  std::size_t count = 0;
  for (Pair& pair : c.pairs)
    if (pair.submitted.load(std::memory_order_acquire)) submitted[count++] = &pair;
  std::sort(submitted.begin(), submitted.begin() + count,
            [](const Pair* a, const Pair* b) { return a->number < b->number; });
  std::array<std::uint64_t, kPairs> waiting;
  std::size_t streams = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Pair& pair = *submitted[i];
    const auto end = waiting.begin() + streams;
    if (std::find(waiting.begin(), end, pair.stream) != end) continue;
    const CUresult done = g_reader.call.cuEventQuery(pair.end);
    if (done == CUDA_ERROR_NOT_READY) {
      waiting[streams++] = pair.stream;
      continue;
    }
    if (done != CUDA_SUCCESS) return give_up(c);
    record(c, pair);
    give_back(pair);
  }
}

void look_at(Context& c, std::size_t place) noexcept {
  const CUcontext handle = c.handle.load(std::memory_order_acquire);
  if (handle == nullptr || c.lost.load()) return;
  if (g_reader.call.cuCtxSetCurrent(handle) != CUDA_SUCCESS) return give_up(c);
  if (!c.ready.load()) {
    if (!fill(c, place)) return give_up(c);
    c.clock.set(g_reader.call);
    for (auto& word : c.free) word.store(~std::uint64_t{0});
    c.ready.store(true, std::memory_order_release);
  } else if (c.clock.is_due()) {
    c.clock.set(g_reader.call);
  }
  tell_source(c);
  collect(c);
}

void look_at_all() noexcept {
  const MutexLock lock(g_reader.lock);
  for (std::size_t i = 0; i < kContexts; ++i) look_at(g_reader.contexts[i], i);
}

void* run(void*) noexcept {
  prctl(PR_SET_NAME, "mfushim-events");
  Reader& r = g_reader;
  // Else a question of this thread would invalidate captures of others.
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  r.call.cuThreadExchangeStreamCaptureMode(&mode);
  const timespec pause = {0, static_cast<long>(kPauseNs)};
  while (r.stop.load() == 0) {
    look_at_all();
    syscall(SYS_futex, &r.stop, FUTEX_WAIT, 0, &pause, nullptr, 0);
  }
  look_at_all();
  return nullptr;
}

}  // namespace

namespace detail {
constinit std::atomic<bool> g_on = false;
}

void start() noexcept {
  Reader& r = g_reader;
  if (r.over) return;
  r.told.store(false);
  if (r.started) return detail::g_on.store(true);
  if (!r.call.load()) {
    gpu_time(format::GpuTime{format::GpuTimeSource::kNone, now(), 0, 0,
                             "the driver has no events, or is not libcuda.so.1"});
    return;
  }
  r.stop.store(0);
  r.started = start_thread(r.thread, run, nullptr);
  detail::g_on.store(r.started);
  if (!r.started) say("no thread for events; there are no device times");
}

void pause() noexcept {
  detail::g_on.store(false);
}

void stop() noexcept {
  Reader& r = g_reader;
  r.over = true;
  if (!r.started) return;
  detail::g_on.store(false);
  r.stop.store(1);
  syscall(SYS_futex, &r.stop, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  r.started = !join_thread(r.thread, kStopSeconds);
}

void forget() noexcept {
  Reader& r = g_reader;
  detail::g_on.store(false);
  pthread_mutex_init(&r.lock, nullptr);
  r.started = r.over = false;
  for (Context& c : r.contexts) empty(c);
}

bool is_product_due() noexcept {
  Reader& r = g_reader;
  if (r.products_left.load(std::memory_order_relaxed) > 0) return r.products_left.fetch_sub(1) == 1;
  const std::uint64_t time = realtime_ns();
  std::uint64_t next = r.next_product_ns.load(std::memory_order_relaxed);
  if (time < next) return false;
  // Half to one and a half of the pause, and then one of the next few, by the clock's last digits:
  // never in step with the job, nor always the first product after the host has waited.
  const std::uint64_t random = time * 0x9E3779B97F4A7C15 >> 32;
  if (r.next_product_ns.compare_exchange_strong(
          next, time + kProductPauseNs / 2 + random % kProductPauseNs))
    r.products_left.store(static_cast<int>(random / kProductPauseNs % kProductsLeft) + 1);
  return false;
}

Pair* begin(std::uint64_t stream, Measure measure) noexcept {
  Context* const c = current_context();
  if (c == nullptr) return nullptr;
  Pair* const pair = take(*c);
  if (pair == nullptr) {
    not_timed("no event was free");
    return nullptr;
  }
  pair->stream = stream;
  pair->measure = measure;
  pair->number = 0;
  pair->failed = false;
  pair->asked_ns = realtime_ns();
  if (put(pair->begin, stream) == CUDA_SUCCESS) return pair;
  give_back(*pair);
  return nullptr;
}

std::uint32_t end(Pair& pair, std::uint32_t config, std::uint32_t stream_id) noexcept {
  pair.failed = put(pair.end, pair.stream) != CUDA_SUCCESS || pair.failed;
  pair.put_ns = realtime_ns();
  if (pair.number != 0) return 0;
  pair.config = config;
  pair.stream_id = stream_id;
  pair.number = (g_reader.numbers.fetch_add(1) + 1) & (format::kEventCorrelation - 1);
  return format::kEventCorrelation | pair.number;
}

void submit(Pair& pair) noexcept {
  pair.submitted.store(true, std::memory_order_release);
}

void drop(Pair& pair) noexcept {
  give_back(pair);
}

void context_lost(const void* context) noexcept {
  Reader& r = g_reader;
  if (!r.started.load()) return;
  const MutexLock lock(r.lock);
  for (Context& c : r.contexts) {
    const CUcontext known = c.handle.load();
    if (known != nullptr && (context == nullptr || known == context)) empty(c);
  }
}

}  // namespace mfushim::shim::event_timing
