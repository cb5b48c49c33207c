// Each execution of a collective with the device time that carried it, before anything is summed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/run.hpp"
#include "passes/intervals.hpp"

namespace mfushim::passes {

struct CollectiveCall {
  const model::Process* process = nullptr;
  const format::CollectiveShape* shape = nullptr;
  std::uint32_t call = 0;        // index in the process
  std::uint64_t replay = 0;      // of a captured one: counts its executions
  std::size_t rank = 0;          // index in the run, where `span` is
  std::optional<Interval> span;  // first kernel start to last end, on the device's clock
  std::uint32_t members = 1;     // collectives that this span carries: more than one in a group
  std::uint32_t position = 0;    // of this one among them

  // This call's part of a time of its span; the parts of all members add up to it.
  std::int64_t part_of(std::int64_t time) const {
    const auto until = [&](std::uint32_t n) {
      return static_cast<std::int64_t>(static_cast<__int128>(time) * n / members);
    };
    return until(position + 1) - until(position);
  }
};

// What the tables call a communicator: its name, else its hash.
std::string label_of(const model::CommunicatorInfo& communicator);

// Of all successful calls of a run; a captured one is there once for each execution.
std::vector<CollectiveCall> find_collective_calls(const model::Run& run);

}  // namespace mfushim::passes
