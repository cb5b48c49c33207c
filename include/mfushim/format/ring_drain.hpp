// Moves what a ring holds into the log as segments: the recorder's writer thread and the recovery
// after a kill run this same code, so both are exact in the same way.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "mfushim/format/ring.hpp"
#include "mfushim/format/segment.hpp"

namespace mfushim::format {

// Working memory of a drain, about 23 MB of address space, touched as far as it is used.
struct DrainMemory {
  static constexpr std::size_t kMaxDefinitions = 65536, kMaxChunks = 8192;
  struct Part {
    std::uint64_t serial;
    RingChunk* chunk;
    std::uint32_t from, to;
  };
  SegmentStorage segment;
  std::array<std::uint8_t, kMaxSegmentPayload + kSegmentHeaderSize> out;
  std::array<Part, kMaxChunks> parts;
  std::bitset<kMaxDefinitions> written;  // definitions already added to a segment
};

// `append(bytes)` adds a whole segment to the log or says false; after that the drain is over.
template <class Append>
class RingDrain {
 public:
  RingDrain(Ring ring, DrainMemory& memory, Compressor codec, Append append)
      : ring_(ring), memory_(memory), builder_(memory.segment, codec), append_(append) {
    memory_.written.reset();
  }

  struct Options {
    std::uint64_t now = 0;  // host ticks
    bool summary = false;   // with coverage and costs as they are now
    std::uint32_t flags = 0;
  };

  // Goes on from what the log, whole segments of `log_bytes` in all, is known to hold. A log that
  // is longer than `good_bytes` ends in a torn segment, to be cut off by the caller first.
  static std::uint64_t good_bytes(const RingHeader& h, std::uint64_t log_bytes) {
    return in_flight_and_whole(h, log_bytes) ? h.flight_bytes.load() : h.log_bytes.load();
  }
  void resume(std::uint64_t log_bytes) {
    RingHeader& h = ring_.header();
    if (in_flight_and_whole(h, log_bytes)) {
      h.sequence.store(h.flight_sequence.load());
      h.log_bytes.store(h.flight_bytes.load());
      commit();
    } else {
      roll_back();
    }
    h.flight_bytes.store(RingHeader::kNoFlight);
  }

  // Everything finished by now goes into the log.
  bool drain(const Options& options) {
    now_ = options.now;
    // Counts first: whatever a finished record refers to was defined before it was finished.
    const std::size_t parts = snapshot();
    if (!take_anchors() || !take_definitions() || !take_losses()) return false;
    for (const auto& part : std::span(memory_.parts).first(parts))
      if (!take_chunk(part)) return false;
    if (options.summary && !take_summary()) return false;
    return (builder_.empty() && options.flags == 0) || flush(options.flags);
  }

  // Lets go of all finished records that are not in the log; gives their number.
  std::size_t discard() {
    std::size_t n = 0;
    for (const auto& part : std::span(memory_.parts).first(snapshot())) {
      part.chunk->taken.store(part.to);
      n += part.to - part.from;
    }
    return n;
  }

  // Adds a record to the segment being gathered, writing that first when it is full.
  template <class Record>
  bool add(std::uint32_t lane, const Record& record) {
    if (failed_) return false;
    if (builder_.add(lane, record)) return true;
    return flush(0) && builder_.add(lane, record);
  }

  // Host records that went into segments so far.
  std::uint64_t host_records() const { return host_records_; }

  // Records finished and not in the log yet.
  std::size_t pending() const {
    std::size_t n = 0;
    for (RingChunk& chunk : ring_.chunks()) {
      if (chunk.state.load(std::memory_order_acquire) != ChunkState::kOwned) continue;
      n += chunk.count.load(std::memory_order_relaxed) - chunk.drained.load();
    }
    return n;
  }

  // Gives a chunk that nobody writes any more, and whose records are all in the log, to the next.
  void release(RingChunk& chunk) {
    chunk.count.store(0);
    chunk.taken.store(0);
    chunk.drained.store(0);
    chunk.state.store(ChunkState::kFree, std::memory_order_release);
    ring_.header().free_chunks.fetch_add(1);
  }

 private:
  // The finished, untaken part of every chunk, oldest chunk first.
  std::size_t snapshot() {
    std::size_t n = 0;
    for (RingChunk& chunk : ring_.chunks()) {
      if (n == memory_.parts.size()) break;
      if (chunk.state.load(std::memory_order_acquire) != ChunkState::kOwned) continue;
      const std::uint32_t from = chunk.taken.load();
      const auto to =
          std::min<std::uint32_t>(chunk.count.load(std::memory_order_acquire), RingChunk::kSlots);
      if (to > from) memory_.parts[n++] = {chunk.serial, &chunk, from, to};
    }
    const auto parts = std::span(memory_.parts).first(n);
    std::sort(parts.begin(), parts.end(),
              [](const auto& a, const auto& b) { return a.serial < b.serial; });
    return n;
  }

  bool take_chunk(const DrainMemory::Part& part) {
    RingChunk& chunk = *part.chunk;
    for (std::uint32_t i = part.from; i < part.to; ++i) {
      const RingSlot& slot = chunk.slots[i];
      bool good = true;
      with_record(slot.kind, [&]<class Record>() {
        if constexpr (sizeof(Record) <= sizeof slot.record && is_ring_record(Record::kKind)) {
          Record record;
          std::memcpy(static_cast<void*>(&record), slot.record.data(), sizeof record);
          good = add(is_host_call(Record::kKind) ? chunk.lane : slot.lane, record);
          host_records_ += is_host_call(Record::kKind);
        }
      });
      if (!good) return false;
      chunk.taken.store(i + 1, std::memory_order_release);
    }
    return true;
  }

  static constexpr bool is_ring_record(Kind kind) {
    return kind >= Kind::kLaunch && kind < Kind::kGpuTime;
  }

  bool take_anchors() {
    RingHeader& h = ring_.header();
    const std::uint32_t end = h.anchors.load(std::memory_order_acquire);
    std::uint32_t i = h.anchors_taken.load();
    if (end - i > RingHeader::kAnchors) i = end - RingHeader::kAnchors;
    for (; i != end; ++i)
      if (!add(0, h.anchor[i % RingHeader::kAnchors])) return false;
    h.anchors_taken.store(end);
    return true;
  }

  bool take_definitions() {
    RingHeader& h = ring_.header();
    const auto slots = ring_.definitions();
    const auto limit = std::min(slots.size(), DrainMemory::kMaxDefinitions);
    const auto end = std::min<std::size_t>(h.definitions.load(std::memory_order_acquire), limit);
    std::size_t low = h.definitions_taken.load();
    bool whole = true;
    for (std::size_t i = low; i < end; ++i) {
      if (!memory_.written[i] && !take_definition(slots[i], i)) return false;
      whole = whole && memory_.written[i];
      if (whole) low = i + 1;
    }
    h.definitions_taken.store(static_cast<std::uint32_t>(low));
    return true;
  }

  // One that a thread is still writing is left for the next time.
  bool take_definition(const RingDefinition& slot, std::size_t index) {
    const std::uint32_t kind = slot.kind.load(std::memory_order_acquire);
    const auto heap = ring_.heap();
    if (kind == 0 || slot.offset > heap.size() || slot.size > heap.size() - slot.offset)
      return true;
    bool good = true;
    with_record(static_cast<Kind>(kind), [&]<class Record>() {
      ByteSource in(heap.subspan(slot.offset, slot.size));
      const auto record = read_fields<Record>(in, slot.id);
      if (in.ok()) good = add(0, record);
    });
    if (good) memory_.written[index] = true;
    return good;
  }

  bool take_losses() {
    for (RingLoss& loss : ring_.header().losses) {
      if (loss.state.load(std::memory_order_acquire) != 2) continue;
      const std::uint64_t count = loss.count.load(), before = loss.taken.load();
      if (count == before) continue;
      const Loss record{
          loss.cause, count - before, last_drain_, now_,
          std::string_view(loss.detail.data(),
                           std::min<std::size_t>(loss.detail_size, loss.detail.size()))};
      if (!add(0, record)) return false;
      loss.taken.store(count);
    }
    return true;
  }

  bool take_coverage(std::size_t index) {
    const RingSource& source = ring_.coverage().sources[index];
    std::uint64_t count = 0;
    for (const auto& share : ring_.coverage().shares)
      count += share[index].load(std::memory_order_relaxed);
    if (count == 0) return true;
    if (index == 0) return add(0, Coverage{kDoorNames.back(), {}, {}, count});
    if (source.ready.load(std::memory_order_acquire) == 0) return true;
    if (source.door >= kDoorNames.size() || source.api >= Api::kCount ||
        source.library_size > source.library.size())
      return true;
    return add(0, Coverage{kDoorNames[source.door], source.library_name(), api_row(source.api).name,
                           count});
  }

  bool take_summary() {
    for (std::size_t i = 0; i < kRingSources; ++i)
      if (!take_coverage(i)) return false;
    for (std::size_t i = 0; i < kCostNames.size(); ++i) {
      const auto& cost = ring_.header().costs[i];
      if (cost.count.load() == 0) continue;
      if (!add(0, Cost{kCostNames[i], cost.count.load(), cost.total_ns.load()})) return false;
    }
    return true;
  }

  // See RingHeader::log_bytes for the protocol.
  bool flush(std::uint32_t flags) {
    RingHeader& h = ring_.header();
    ByteSink out(memory_.out);
    const std::uint32_t sequence = h.sequence.load();
    if (!builder_.flush(out, now_, sequence, flags)) return fail();
    const std::uint64_t size = h.log_bytes.load() + out.size();
    h.flight_sequence.store(sequence + 1);
    h.flight_bytes.store(size);
    if (!append_(out.written())) return fail();
    h.log_bytes.store(size);
    h.sequence.store(sequence + 1);
    commit();
    h.flight_bytes.store(RingHeader::kNoFlight);
    last_drain_ = now_;
    return true;
  }

  bool fail() {
    failed_ = true;
    return false;
  }

  static bool in_flight_and_whole(const RingHeader& h, std::uint64_t log_bytes) {
    const std::uint64_t flight = h.flight_bytes.load();
    return flight != RingHeader::kNoFlight && log_bytes >= flight;
  }

  void roll_back() {
    RingHeader& h = ring_.header();
    memory_.written.reset();
    h.anchors_taken.store(h.anchors_drained.load());
    h.definitions_taken.store(h.definitions_drained.load());
    for (RingLoss& loss : h.losses) loss.taken.store(loss.drained.load());
    for (RingChunk& chunk : ring_.chunks()) chunk.taken.store(chunk.drained.load());
  }

  void commit() {
    RingHeader& h = ring_.header();
    h.anchors_drained.store(h.anchors_taken.load());
    h.definitions_drained.store(h.definitions_taken.load());
    for (RingLoss& loss : h.losses) loss.drained.store(loss.taken.load());
    for (RingChunk& chunk : ring_.chunks()) {
      if (chunk.state.load(std::memory_order_acquire) != ChunkState::kOwned) continue;
      const std::uint32_t taken = chunk.taken.load();
      chunk.drained.store(taken);
      if (taken == RingChunk::kSlots) release(chunk);
    }
  }

  Ring ring_;
  DrainMemory& memory_;
  SegmentBuilder builder_;
  Append append_;
  std::uint64_t now_ = 0;
  std::uint64_t last_drain_ = 0;
  std::uint64_t host_records_ = 0;
  bool failed_ = false;
};

}  // namespace mfushim::format
