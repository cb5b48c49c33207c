// The operations of one group on one communicator: one kernel, whose end depends on the other
// ranks.
#pragma once

#include <mfusim/driver.h>

#include <memory>
#include <vector>

#include "communicator.hpp"
#include "operation.hpp"

namespace mfusim::nccl {

// Writes a line of truth per operation, kind "collective": arrival is when this rank could begin
// (its kernel may start and its operation's turn has come), start when the last rank could, end
// when all ranks end, all in ns of the device clock; bytes as nccl-tests accounts them; seq counts
// the communicator's collectives, or the messages of one pair of ranks in one direction, from 0; op
// only where something is reduced. Lives from its launch to its end, or for good when it is part of
// a graph, which may replay it.
class Batch {
 public:
  Batch(std::shared_ptr<Core> core, std::vector<Operation> operations, uint64_t stream_id,
        bool captured);

  // The kernel's MfusimCost::poll: the collectives one after another, the messages beside them.
  // One-sided operations only signal: what is put goes nowhere.
  static int poll(void* batch, uint64_t start_ns, uint64_t now_ns, uint64_t* end_ns);

  // For a kernel that could not be launched.
  static void discard(Batch* batch);

 private:
  struct State {
    uint64_t number =
        0;  // of the collective in its communicator, of the message in its pair; from 1
    uint64_t arrival_ns = 0;
    bool done = false;
  };

  bool may_begin() const;
  void begin(uint64_t start_ns);
  bool advance();
  bool advance_collective(const Operation& operation, State& state);
  bool advance_message(size_t index);
  bool advance_one_sided(const Operation& operation, State& state);
  void arrive(const Operation& operation, State& state);
  void arrive_message(const Operation& operation, State& state);
  void finish(const Operation& operation, State& state, uint64_t last_arrival_ns);
  bool earlier_message_pending(size_t index) const;
  bool waits_in_vain() const;
  bool is_lost(uint64_t now_ns);
  void end();
  void write_truth(const Operation& operation, const State& state, uint64_t transfer_ns,
                   uint64_t end_ns) const;

  const std::shared_ptr<Core> core_;
  const std::vector<Operation> operations_;
  const uint64_t stream_id_;
  const bool captured_;
  const uint64_t ticket_;

  bool running_ = false;
  std::vector<State> states_;
  uint64_t chain_ns_ = 0;  // when the next collective may arrive
  uint64_t end_ns_ = 0;
  uint64_t deadline_ns_ = 0;
  uint64_t next_check_ns_ = 0;
};

}  // namespace mfusim::nccl
