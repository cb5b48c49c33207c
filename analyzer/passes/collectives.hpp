// Collectives: bytes, bandwidth, and what part of their time was waiting for the last rank.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/run.hpp"
#include "passes/ledger.hpp"

namespace mfushim::passes {

// Sums over all ranks and calls of one communicator, operation and type.
struct CollectiveRow {
  std::string communicator;
  format::CollectiveOp op = format::CollectiveOp::kUnknown;
  format::DType dtype = format::DType::kUnknown;
  std::int32_t size = -1;  // of the communicator
  std::uint64_t calls = 0;
  std::uint64_t timed_calls = 0;  // with device times
  std::uint64_t bytes = 0;        // S of nccl-tests
  std::uint64_t timed_bytes = 0;
  std::int64_t duration_ns = 0;  // of the kernels, waiting included
  // Where the records of all ranks of each timed call are there:
  std::optional<std::int64_t> wait_ns;
  std::optional<std::int64_t> transfer_ns;

  std::optional<double> alg_bytes_per_s() const;
  std::optional<double> bus_bytes_per_s() const;
};

struct CommunicatorOverlap {
  std::string communicator;
  std::int64_t comm_ns = 0;
  std::int64_t hidden_ns = 0;
};

struct CollectiveResult {
  std::vector<CollectiveRow> rows;  // most time first
  std::vector<CommunicatorOverlap> overlap;
  std::optional<std::int64_t> wait_ns;      // only when known for every timed call
  std::optional<std::int64_t> transfer_ns;  // union per rank, of times after the last arrival
  std::int64_t hidden_transfer_ns = 0;
  std::int64_t clock_residual_ns = 0;  // by how much the ends of one collective differ at most
};

CollectiveResult find_collectives(const model::Run& run,
                                  const std::vector<std::optional<Activity>>& activities);

}  // namespace mfushim::passes
