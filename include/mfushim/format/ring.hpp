// The ring file: where records lie between a hook and the log, so that SIGKILL loses none of them.
//
// One file per recorded process on tmpfs, mapped shared and fully allocated. The recorder's threads
// write it, its writer thread moves what is finished into the log (ring_drain.hpp), a clean end
// removes it. After a kill `mfushim report` does the same from outside with the same code: all that
// this takes is in the file. Layout: RingHeader, coverage counters, RingDefinition[], text heap,
// RingChunk[]. It is read by the build that wrote it or one of equal kRingLayout, on the same host.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "mfushim/format/api.hpp"
#include "mfushim/format/block.hpp"
#include "mfushim/format/file.hpp"
#include "mfushim/format/records.hpp"

namespace mfushim::format {

inline constexpr std::uint64_t kRingMagic = 0x31474e495255464dULL;  // "MFURING1" in memory
inline constexpr const char* kRingPrefix = "mfushim-";              // of the file's name
inline constexpr const char* kRingFolder = "/dev/shm";
inline constexpr std::array<std::string_view, 4> kDoorNames = {"symbol", "dlsym", "getproc",
                                                               "other"};

// One record of a ring: the record's struct itself behind eight bytes.
struct RingSlot {
  Kind kind;
  std::uint16_t unused;
  std::uint32_t lane;  // of device records; host records have their chunk's
  alignas(8) std::array<std::byte, 56> record;
};
static_assert(sizeof(RingSlot) == 64);

enum class ChunkState : std::uint32_t { kFree, kClaiming, kOwned };

// 255 slots that one thread fills. A thread's ring is the chunks it has claimed, in order of
// `serial`; room is therefore where it is needed, however many threads there are.
struct alignas(64) RingChunk {
  static constexpr std::size_t kSlots = 255;
  std::atomic<ChunkState> state;
  std::atomic<std::uint32_t> count;    // slots finished by the owner: each one release store
  std::atomic<std::uint32_t> taken;    // of these, in the log once the segment in flight is whole
  std::atomic<std::uint32_t> drained;  // of these, in the log
  std::uint32_t lane;
  std::uint32_t tid;  // of the owner, as the operating system numbers it
  std::uint64_t serial;
  alignas(64) std::array<RingSlot, kSlots> slots;
};
static_assert(sizeof(RingChunk) == 16384);

// A fact or definition; its fields but `id` are in the heap, coded by write_fields.
struct RingDefinition {
  std::atomic<std::uint32_t> kind;  // 0: not finished
  std::uint32_t id;
  std::uint32_t offset;  // in the heap
  std::uint32_t size;
};

// Records lost for one cause and detail.
struct RingLoss {
  std::atomic<std::uint32_t> state;  // 0: free, 1: being made, 2: in use
  LossCause cause;
  std::uint8_t detail_size;
  std::array<char, 90> detail;
  std::atomic<std::uint64_t> count, taken, drained;
};

// What the recorder cost so far, one per RingCost.
enum class RingCost : std::size_t { kHook, kWriter, kCupti, kNvml, kCount };
inline constexpr std::array<std::string_view, static_cast<std::size_t>(RingCost::kCount)>
    kCostNames = {"hook", "writer", "cupti", "nvml"};
struct RingCostCounter {
  std::atomic<std::uint64_t> count, total_ns;
};

struct RingHeader {
  static constexpr std::uint32_t kAnchors = 16, kLosses = 48, kPath = 1024;

  std::uint64_t magic;  // written last: a file without it was never used
  std::uint64_t layout;
  std::uint64_t file_bytes;
  std::uint32_t definition_slots;
  std::uint32_t heap_bytes;
  std::uint32_t chunk_count;
  std::uint32_t pid;
  std::uint64_t process_start;  // clock ticks after boot, as /proc/PID/stat has it
  std::array<char, kPath> log_path;
  std::array<std::uint8_t, kFileHeaderSize> log_header;

  // How far the log is. Before a segment is gathered, `flight_bytes` becomes kNoFlight; before it
  // is written, the size that the log then has. So a log of at least flight_bytes holds all that is
  // `taken`, a shorter one what is `drained`, and what it has beyond log_bytes is torn.
  static constexpr std::uint64_t kNoFlight = ~std::uint64_t{0};
  std::atomic<std::uint64_t> log_bytes;
  std::atomic<std::uint64_t> flight_bytes;
  std::atomic<std::uint32_t> sequence;         // of the next segment
  std::atomic<std::uint32_t> flight_sequence;  // of the one after the segment in flight

  std::atomic<std::uint32_t> definitions, definitions_taken, definitions_drained;
  std::atomic<std::uint32_t> heap_used;
  std::array<std::atomic<std::uint32_t>, 16> last_id;  // per kind of definition
  std::atomic<std::uint64_t> chunk_serial;
  std::atomic<std::uint32_t> free_chunks;
  std::atomic<std::uint32_t> writer_wanted;  // futex: nonzero asks the writer to drain now

  std::atomic<std::uint32_t> anchors, anchors_taken, anchors_drained;
  std::array<ClockAnchor, kAnchors> anchor;  // anchor number i is at i % kAnchors
  std::array<RingLoss, kLosses> losses;
  std::array<RingCostCounter, static_cast<std::size_t>(RingCost::kCount)> costs;
};

// Where calls come from: a door, a calling library, an entry point. Source 0, the door "other" and
// no more, stands for all that is beyond kRingSources.
struct RingSource {
  std::atomic<std::uint32_t> ready;
  Api api;
  std::uint8_t door;  // index in kDoorNames
  std::uint8_t library_size;
  std::array<char, 56> library;  // file name of the calling module, cut; empty: code in none

  std::string_view library_name() const { return {library.data(), library_size}; }
};
static_assert(sizeof(RingSource) == 64);
inline constexpr std::size_t kRingSources = 1024;

// Counters of calls by source. The threads of the first lanes have a share of their own, which they
// count in without a locked addition (20 ns); all others count in share 0, with one.
inline constexpr std::size_t kCoverageShares = 16;
using RingCoverageShare = std::array<std::atomic<std::uint64_t>, kRingSources>;
struct RingCoverage {
  std::array<RingSource, kRingSources> sources;
  std::array<RingCoverageShare, kCoverageShares> shares;
};

namespace detail {

// Changes whenever the meaning of the file's bytes does: sizes of its structs and of every record,
// number and names of the entry points.
constexpr std::uint64_t ring_layout() {
  std::uint64_t h = 0xcbf29ce484222325ULL;
  const auto mix = [&h](std::uint64_t v) { h = (h ^ v) * 0x100000001b3ULL; };
  mix(sizeof(RingHeader));
  mix(sizeof(RingCoverage));
  mix(kVersionMajor);
  mix(kVersionMinor);
  [&]<class... R>(std::tuple<R...>*) { (mix(sizeof(R)), ...); }(static_cast<AllRecords*>(nullptr));
  for (const ApiRow& row : kApis)
    for (const char c : row.name) mix(static_cast<unsigned char>(c));
  return h;
}

constexpr std::size_t round_up(std::size_t n, std::size_t to) {
  return (n + to - 1) / to * to;
}

}  // namespace detail

inline constexpr std::uint64_t kRingLayout = detail::ring_layout();

// Where the parts lie in a file of a given size.
struct RingPlan {
  std::size_t coverage, definitions, heap, chunks;  // offsets
  std::uint32_t definition_slots, heap_bytes, chunk_count;
};

inline constexpr std::size_t kMinRingBytes = std::size_t{1} << 20;

// Of 16 MB: 32768 definitions, 3 MB of text, 200,000 records.
constexpr RingPlan plan_ring(std::size_t bytes) {
  RingPlan p{};
  p.definition_slots = static_cast<std::uint32_t>(bytes / 512);
  p.heap_bytes = static_cast<std::uint32_t>(bytes / 64 * 12);
  p.coverage = detail::round_up(sizeof(RingHeader), 64);
  p.definitions = detail::round_up(p.coverage + sizeof(RingCoverage), 64);
  p.heap = p.definitions + p.definition_slots * sizeof(RingDefinition);
  p.chunks = detail::round_up(p.heap + p.heap_bytes, 4096);
  p.chunk_count = static_cast<std::uint32_t>((bytes - p.chunks) / sizeof(RingChunk));
  return p;
}

// The parts of a mapped ring file.
class Ring {
 public:
  Ring() = default;
  Ring(std::byte* base, std::size_t bytes) : base_(base), plan_(plan_ring(bytes)) {}

  explicit operator bool() const { return base_ != nullptr; }
  RingHeader& header() const { return *at<RingHeader>(0); }
  RingCoverage& coverage() const { return *at<RingCoverage>(plan_.coverage); }
  std::span<RingDefinition> definitions() const {
    return {at<RingDefinition>(plan_.definitions), plan_.definition_slots};
  }
  std::span<std::uint8_t> heap() const { return {at<std::uint8_t>(plan_.heap), plan_.heap_bytes}; }
  std::span<RingChunk> chunks() const { return {at<RingChunk>(plan_.chunks), plan_.chunk_count}; }
  const RingPlan& plan() const { return plan_; }

 private:
  template <class T>
  T* at(std::size_t offset) const {
    return reinterpret_cast<T*>(base_ + offset);
  }

  std::byte* base_ = nullptr;
  RingPlan plan_{};
};

// Whether the mapped bytes are a ring file that this build can read.
inline bool ring_readable(const RingHeader& h, std::size_t bytes) {
  if (bytes < kMinRingBytes || h.magic != kRingMagic || h.layout != kRingLayout) return false;
  const RingPlan p = plan_ring(bytes);
  return h.file_bytes == bytes && h.definition_slots == p.definition_slots &&
         h.heap_bytes == p.heap_bytes && h.chunk_count == p.chunk_count;
}

// All fields but `id`: numbers as varints of their bits, texts as length and bytes.
template <class Record>
void write_fields(ByteSink& out, const Record& record) {
  const auto field = [&](const auto& f) {
    using Value = detail::FieldValue<decltype(f), Record>;
    if (std::string_view(f.name) == "id") return;
    if constexpr (std::is_same_v<Value, std::string_view>) {
      const std::string_view text = record.*f.member;
      out.varint(text.size());
      out.bytes(text.data(), text.size());
    } else {
      out.varint(detail::to_bits<Value>(record.*f.member));
    }
  };
  std::apply([&](const auto&... f) { (field(f), ...); }, Record::fields());
}

// Texts of the result point into the source's memory.
template <class Record>
Record read_fields(ByteSource& in, std::uint32_t id) {
  Record record;
  const auto field = [&](const auto& f) {
    using Value = detail::FieldValue<decltype(f), Record>;
    if constexpr (std::is_same_v<Value, std::string_view>) {
      const auto text = in.bytes(in.varint());
      record.*f.member = std::string_view(reinterpret_cast<const char*>(text.data()), text.size());
    } else if (std::string_view(f.name) == "id") {
      record.*f.member = static_cast<Value>(id);
    } else {
      record.*f.member = detail::from_bits<Value>(in.varint());
    }
  };
  std::apply([&](const auto&... f) { (field(f), ...); }, Record::fields());
  return record;
}

}  // namespace mfushim::format
