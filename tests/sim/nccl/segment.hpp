// Where the ranks of one communicator meet: a piece of shared memory that all of them map.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace mfusim::nccl {

// Payloads up to this size really move; larger ones only take their time.
constexpr size_t kMaxPayload = 1 << 20;

// How long a rank waits for others before it reports an error: MFUSIM_NCCL_TIMEOUT_S, else two
// minutes.
std::chrono::seconds patience();

// One rank's arrival at an operation. number counts from 1 and is stored last.
struct Arrival {
  std::atomic<uint64_t> number{0};
  uint64_t time_ns = 0;
  uint64_t payload_bytes = 0;  // 0 when the payload stays where it is
};

// Everything in the memory is valid when it is all zero, so that no rank has to come first.
// Two copies of each meeting place, used in turn, suffice: who arrives at number s + 2 has left s +
// 1, which all ranks reached after they had left s.
class Segment {
 public:
  // Maps the communicator's memory; null when there is none or its size differs.
  static Segment* open(uint64_t communicator_hash, int ranks);
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  // Each rank once; true for the caller when all have attached in time. The name is gone
  // afterwards, so that nothing is left behind however the ranks end.
  void attach(int rank);
  bool await_all_attached();

  void leave(int rank);
  // The rank left, or its process ended without leaving.
  bool is_gone(int rank) const;

  Arrival& collective(uint64_t number, int rank) const;
  // The two sides of a message from one rank to another.
  Arrival& sender(uint64_t number, int from, int to) const;
  Arrival& receiver(uint64_t number, int from, int to) const;

  // Room for bytes, at most kMaxPayload, that belong to an arrival; null when memory is exhausted.
  char* collective_payload(uint64_t number, int rank, size_t bytes) const;
  char* message_payload(uint64_t number, int from, int to, size_t bytes) const;

  // Signals from one rank to another, and when the last was given.
  struct SignalCount {
    std::atomic<uint64_t> count{0};
    std::atomic<uint64_t> time_ns{0};
  };
  SignalCount& signals(int from, int to) const;

  struct SplitRequest {
    std::atomic<uint64_t> number{0};
    int color = 0;
    int key = 0;
  };
  SplitRequest& split(uint64_t number, int rank) const;

 private:
  struct RankState;

  Segment(std::string name, int descriptor, char* memory, int ranks)
      : name_(std::move(name)), descriptor_(descriptor), memory_(memory), ranks_(ranks) {}

  static size_t states_bytes(int ranks);
  static size_t total_bytes(int ranks);
  RankState& state(int rank) const;
  char* payload(size_t index, size_t bytes) const;

  std::string name_;
  int descriptor_;
  char* memory_;
  int ranks_;
};

}  // namespace mfusim::nccl
