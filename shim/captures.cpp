// The table of captures in progress; see captures.hpp. They are few, and found by a short search.
// The driver is asked nothing while nothing is recorded.
#include "captures.hpp"

#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>

#include <array>

#include "graphs.hpp"
#include "recorder.hpp"
#include "resolve.hpp"
#include "streams.hpp"

namespace mfushim::shim {
namespace {

constexpr std::uint64_t kFree = 0, kClaimed = 1;

struct Capture {
  std::atomic<std::uint64_t> origin;  // its stream, by the key below; or kFree, kClaimed
  std::atomic<std::uint64_t> id;      // the driver's, never given out again, + 1; 0: not asked yet
  std::atomic<std::uint32_t> number;  // ours
};
constinit std::array<Capture, 256> g_open{};

MFUSHIM_THREAD_LOCAL char t_self{};

// A default stream that can capture is the calling thread's own: by its key it is that thread's
// alone, by its handle any thread's.
bool is_default(const void* stream) noexcept {
  return reinterpret_cast<std::uint64_t>(stream) <= detail::kPerThreadStream;
}
std::uint64_t key_of(const void* stream) noexcept {
  return reinterpret_cast<std::uint64_t>(is_default(stream) ? &t_self : stream);
}
CUstream handle_of(const void* stream) noexcept {
  return is_default(stream) ? CU_STREAM_PER_THREAD
                            : static_cast<CUstream>(const_cast<void*>(stream));
}

// The driver's id of the capture that a stream is in, + 1; 0: in none.
std::uint64_t id_of(CUstream stream) noexcept {
  const auto get_info = MFUSHIM_DRIVER(cuStreamGetCaptureInfo);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  cuuint64_t id = 0;
  const bool is_active = get_info != nullptr && get_info(stream, &status, &id) == CUDA_SUCCESS &&
                         status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
  return is_active ? id + 1 : 0;
}

// Whether the capture has this id; asks for it once, by the stream where it began.
bool has_id(Capture& c, std::uint64_t id) noexcept {
  const std::uint64_t origin = c.origin.load(std::memory_order_acquire);
  if (origin <= kClaimed) return false;
  const std::uint64_t known = c.id.load(std::memory_order_relaxed);
  if (known != 0) return known == id;
  const bool is_own_default = origin == key_of(nullptr);
  const std::uint64_t found =
      id_of(is_own_default ? CU_STREAM_PER_THREAD : reinterpret_cast<CUstream>(origin));
  if (found == id) c.id.store(id, std::memory_order_relaxed);
  return found == id;
}

}  // namespace

namespace detail {
constinit std::atomic<int> g_captures{0};
}

namespace {

void count_down() noexcept {
  int count = detail::g_captures.load(std::memory_order_relaxed);
  while (count > 0 && !detail::g_captures.compare_exchange_weak(count, count - 1)) {
  }
}

// Frees the entry of the capture that began in this stream; gives its number.
std::uint32_t take(std::uint64_t origin) noexcept {
  for (Capture& c : g_open) {
    std::uint64_t expected = origin;
    const std::uint32_t number = c.number.load(std::memory_order_relaxed);
    if (c.origin.compare_exchange_strong(expected, kFree)) return number;
  }
  return format::kUnknownGraph;
}

}  // namespace

std::uint32_t capture_of(std::uint64_t stream) noexcept {
  const std::uint64_t id = id_of(reinterpret_cast<CUstream>(stream));
  if (id == 0) return 0;
  for (Capture& c : g_open)
    if (has_id(c, id)) return c.number.load(std::memory_order_relaxed);
  loss(format::LossCause::kNotRecorded, 1, "graphs that work was captured into");
  return format::kUnknownGraph;
}

void capture_began(const void* stream) noexcept {
  const std::uint64_t key = key_of(stream);
  for (Capture& c : g_open) {
    std::uint64_t expected = kFree;
    if (!c.origin.compare_exchange_strong(expected, kClaimed)) continue;
    c.id.store(0, std::memory_order_relaxed);
    c.number.store(new_graph_number(), std::memory_order_relaxed);
    c.origin.store(key, std::memory_order_release);
    break;
  }
  detail::g_captures.fetch_add(1, std::memory_order_relaxed);
}

const void* captured_graph(const void* stream) noexcept {
  if (!recording()) return nullptr;
  const auto get_info = MFUSHIM_DRIVER(cuStreamGetCaptureInfo_v2);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  CUgraph graph = nullptr;
  return get_info != nullptr && get_info(handle_of(stream), &status, nullptr, &graph, nullptr,
                                         nullptr) == CUDA_SUCCESS
             ? graph
             : nullptr;
}

std::uint32_t capture_ended(const void* stream) noexcept {
  count_down();
  return take(key_of(stream));
}

void capture_lost(const void* stream) noexcept {
  if (take(key_of(stream)) != format::kUnknownGraph) count_down();
}

void captures_lost() noexcept {
  for (Capture& c : g_open)
    if (const std::uint64_t origin = c.origin.load();
        origin > kClaimed && take(origin) != format::kUnknownGraph)
      count_down();
}

}  // namespace mfushim::shim
