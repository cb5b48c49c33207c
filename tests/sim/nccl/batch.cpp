// See batch.hpp. All of it runs on the simulator's device thread.
#include "batch.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "payload.hpp"
#include "sim_driver.hpp"

namespace mfusim::nccl {
namespace {

uint64_t transfer_ns(const Operation& operation, int ranks) {
  static const bool instant = [] {
    const char* text = std::getenv("MFUSIM_INSTANT");
    return text != nullptr && std::strcmp(text, "1") == 0;
  }();
  return instant ? 0 : static_cast<uint64_t>(transfer_of(operation, ranks).ns);
}

// Does this rank put data into the meeting?
bool contributes(const Operation& operation, int rank) {
  const bool only_root = operation.kind == Kind::kBroadcast || operation.kind == Kind::kScatter;
  return !only_root || rank == operation.peer;
}

}  // namespace

Batch::Batch(std::shared_ptr<Core> core, std::vector<Operation> operations, uint64_t stream_id,
             bool captured)
    : core_(std::move(core)),
      operations_(std::move(operations)),
      stream_id_(stream_id),
      captured_(captured),
      ticket_(captured ? 0 : core_->tickets++) {
  if (!captured_) core_->launched();
}

void Batch::discard(Batch* batch) {
  if (!batch->captured_) {
    --batch->core_->tickets;
    batch->core_->finished();
  }
  delete batch;
}

int Batch::poll(void* batch, uint64_t start_ns, uint64_t now_ns, uint64_t* end_ns) {
  auto* self = static_cast<Batch*>(batch);
  if (!self->running_) {
    if (!self->may_begin()) return 0;
    self->begin(start_ns);
  }
  if (!self->advance()) {
    if (!self->is_lost(now_ns)) return 0;
    self->end_ns_ = std::max(self->end_ns_, now_ns);
  }
  *end_ns = std::max(self->end_ns_, start_ns);
  self->end();
  return 1;
}

bool Batch::may_begin() const {
  return captured_ || core_->turn == ticket_;
}

void Batch::begin(uint64_t start_ns) {
  running_ = true;
  states_.assign(operations_.size(), {});
  chain_ns_ = std::max(start_ns, core_->free_ns);
  end_ns_ = chain_ns_;
  deadline_ns_ = 0;
  for (size_t i = 0; i < operations_.size(); ++i) states_[i].arrival_ns = chain_ns_;
}

// True when everything is done.
bool Batch::advance() {
  bool all = true;
  bool collectives_held = false;
  for (size_t i = 0; i < operations_.size(); ++i) {
    if (states_[i].done) continue;
    if (operations_[i].is_message()) {
      all = advance_message(i) && all;
    } else if (operations_[i].is_one_sided()) {
      all = advance_one_sided(operations_[i], states_[i]) && all;
    } else {
      collectives_held = collectives_held || !advance_collective(operations_[i], states_[i]);
    }
  }
  return all && !collectives_held;
}

bool Batch::advance_collective(const Operation& operation, State& state) {
  if (state.number == 0) arrive(operation, state);
  uint64_t last = 0;
  for (int rank = 0; rank < core_->size; ++rank) {
    const Arrival& arrival = core_->segment->collective(state.number, rank);
    if (arrival.number.load(std::memory_order_acquire) != state.number) return false;
    last = std::max(last, arrival.time_ns);
  }
  std::vector<const char*> contributions;
  bool moves = true;
  for (int rank = 0; rank < core_->size; ++rank) {
    const size_t bytes = core_->segment->collective(state.number, rank).payload_bytes;
    moves = moves && (bytes > 0 || !contributes(operation, rank));
    contributions.push_back(
        bytes > 0 ? core_->segment->collective_payload(state.number, rank, bytes) : nullptr);
  }
  if (moves) deliver(operation, core_->rank, contributions);
  finish(operation, state, last);
  return true;
}

void Batch::arrive(const Operation& operation, State& state) {
  state.number = ++core_->collectives;
  state.arrival_ns = chain_ns_;
  Arrival& arrival = core_->segment->collective(state.number, core_->rank);
  const size_t bytes = contributed_bytes(operation, core_->size);
  arrival.time_ns = state.arrival_ns;
  arrival.payload_bytes = 0;
  if (contributes(operation, core_->rank) && bytes > 0 && bytes <= kMaxPayload) {
    if (char* to = core_->segment->collective_payload(state.number, core_->rank, bytes)) {
      std::memcpy(to, operation.send, bytes);
      arrival.payload_bytes = bytes;
    }
  }
  arrival.number.store(state.number, std::memory_order_release);
}

// Messages between one pair of ranks in one direction meet in order.
bool Batch::earlier_message_pending(size_t index) const {
  for (size_t i = 0; i < index; ++i) {
    if (!states_[i].done && operations_[i].kind == operations_[index].kind &&
        operations_[i].peer == operations_[index].peer) {
      return true;
    }
  }
  return false;
}

bool Batch::advance_message(size_t index) {
  const Operation& operation = operations_[index];
  State& state = states_[index];
  if (state.number == 0) {
    if (earlier_message_pending(index)) return false;
    arrive_message(operation, state);
  }
  const bool sends = operation.kind == Kind::kSend;
  const int from = sends ? core_->rank : operation.peer;
  const int to = sends ? operation.peer : core_->rank;
  const Arrival& sender = core_->segment->sender(state.number, from, to);
  const Arrival& receiver = core_->segment->receiver(state.number, from, to);
  const Arrival& other = sends ? receiver : sender;
  if (other.number.load(std::memory_order_acquire) != state.number) return false;
  if (!sends && sender.payload_bytes > 0) {
    const size_t room = operation.count * type_bytes(operation.type);
    const size_t bytes = std::min<size_t>(sender.payload_bytes, room);
    if (const char* data = core_->segment->message_payload(state.number, from, to, bytes)) {
      std::memcpy(operation.receive, data, bytes);
    }
  }
  finish(operation, state, std::max(sender.time_ns, receiver.time_ns));
  return true;
}

void Batch::arrive_message(const Operation& operation, State& state) {
  const auto peer = static_cast<size_t>(operation.peer);
  const bool sends = operation.kind == Kind::kSend;
  state.number = sends ? ++core_->sent[peer] : ++core_->received[peer];
  Arrival& arrival = sends ? core_->segment->sender(state.number, core_->rank, operation.peer)
                           : core_->segment->receiver(state.number, operation.peer, core_->rank);
  const size_t bytes = operation.count * type_bytes(operation.type);
  arrival.time_ns = state.arrival_ns;
  arrival.payload_bytes = 0;
  if (sends && bytes > 0 && bytes <= kMaxPayload) {
    if (char* to =
            core_->segment->message_payload(state.number, core_->rank, operation.peer, bytes)) {
      std::memcpy(to, operation.send, bytes);
      arrival.payload_bytes = bytes;
    }
  }
  arrival.number.store(state.number, std::memory_order_release);
}

bool Batch::advance_one_sided(const Operation& operation, State& state) {
  state.number = 1;  // they are not counted
  uint64_t last = state.arrival_ns;
  for (const Signals& wanted : operation.awaited) {
    const auto& given = core_->segment->signals(wanted.peer, core_->rank);
    const uint64_t before = core_->awaited[static_cast<size_t>(wanted.peer)];
    if (given.count < before + static_cast<uint64_t>(wanted.count)) return false;
    last = std::max<uint64_t>(last, given.time_ns);
  }
  for (const Signals& wanted : operation.awaited) {
    core_->awaited[static_cast<size_t>(wanted.peer)] += static_cast<uint64_t>(wanted.count);
  }
  finish(operation, state, last);
  if (operation.signals()) {
    auto& given = core_->segment->signals(core_->rank, operation.peer);
    given.time_ns = end_ns_;
    ++given.count;
  }
  return true;
}

// Every rank computes the same end from the same arrivals.
void Batch::finish(const Operation& operation, State& state, uint64_t last_arrival_ns) {
  const uint64_t end_ns = last_arrival_ns + transfer_ns(operation, core_->size);
  if (!operation.is_message() && !operation.is_one_sided()) chain_ns_ = end_ns;
  end_ns_ = std::max(end_ns_, end_ns);
  state.done = true;
  write_truth(operation, state, last_arrival_ns, end_ns);
}

// Is one of the ranks that this batch still waits for gone?
bool Batch::waits_in_vain() const {
  for (size_t i = 0; i < operations_.size(); ++i) {
    const State& state = states_[i];
    if (state.done || state.number == 0) continue;
    if (operations_[i].is_message()) {
      if (core_->segment->is_gone(operations_[i].peer)) return true;
      continue;
    }
    if (operations_[i].is_one_sided()) {
      for (const Signals& wanted : operations_[i].awaited)
        if (core_->segment->is_gone(wanted.peer)) return true;
      continue;
    }
    for (int rank = 0; rank < core_->size; ++rank) {
      const bool missing = core_->segment->collective(state.number, rank).number != state.number;
      if (missing && core_->segment->is_gone(rank)) return true;
    }
  }
  return false;
}

// Ranks that do not come end the kernel with an error, so that no program hangs for ever.
bool Batch::is_lost(uint64_t now_ns) {
  constexpr uint64_t kCheckEveryNs = 50'000'000;
  if (core_->aborted) return true;
  if (deadline_ns_ == 0) {
    deadline_ns_ = now_ns + static_cast<uint64_t>(std::chrono::nanoseconds(patience()).count());
    next_check_ns_ = now_ns + kCheckEveryNs;
  }
  if (now_ns < next_check_ns_) return false;
  next_check_ns_ = now_ns + kCheckEveryNs;
  if (now_ns <= deadline_ns_ && !waits_in_vain()) return false;
  if (advance()) return false;  // it arrived just before it went: the next poll ends well
  core_->error = ncclRemoteError;
  return true;
}

void Batch::end() {
  running_ = false;
  core_->free_ns = end_ns_;
  if (captured_) return;
  ++core_->turn;
  core_->finished();
  delete this;
}

void Batch::write_truth(const Operation& operation, const State& state, uint64_t start_ns,
                        uint64_t end_ns) const {
  if (!library::keeps_truth()) return;
  const auto number = [](const char* key, uint64_t value) {
    return ",\"" + std::string(key) + "\":" + std::to_string(value);
  };
  std::string line = std::string(R"({"t":"collective","api":")") + operation.api + R"(","comm":")" +
                     hash_text(core_->hash) + "\"";
  line += number("rank", static_cast<uint64_t>(core_->rank));
  line += number("size", static_cast<uint64_t>(core_->size));
  line += number("count", operation.count);
  if (operation.has_type()) {
    line += std::string(R"(,"dtype":")") + type_name(operation.type) + "\"";
  }
  line += number("bytes", accounted_bytes(operation, core_->size));
  if (operation.reduces()) {
    line += std::string(R"(,"op":")") + reduction_name(operation.reduction) + "\"";
  }
  if (operation.peer >= 0) line += number("peer", static_cast<uint64_t>(operation.peer));
  line += number("seq", state.number - 1) + number("arrival", state.arrival_ns) +
          number("start", start_ns) + number("end", end_ns) + number("stream", stream_id_) +
          number("captured", captured_ ? 1 : 0);
  library::truth(line + "}");
}

}  // namespace mfusim::nccl
