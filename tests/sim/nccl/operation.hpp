// One collective or message as the program asked for it, and what it costs.
#pragma once

#include <nccl.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mfusim::nccl {

enum class Kind {
  kAllReduce,
  kReduce,
  kBroadcast,
  kAllGather,
  kReduceScatter,
  kAlltoAll,
  kGather,
  kScatter,
  kSend,
  kRecv,
  kPutSignal,
  kSignal,
  kWaitSignal,
};

// So many signals of one rank.
struct Signals {
  int peer;
  int count;
};

struct Operation {
  const char* api = "";
  Kind kind = Kind::kAllReduce;
  const void* send = nullptr;
  void* receive = nullptr;
  size_t count = 0;  // as given in the call
  ncclDataType_t type = ncclFloat32;
  ncclRedOp_t reduction = ncclSum;
  double scale = 1;  // of a pre-multiplied sum
  int peer = -1;     // root of a rooted collective; other side of a message; whom a signal goes to
  std::vector<Signals> awaited{};

  bool reduces() const {
    return kind == Kind::kAllReduce || kind == Kind::kReduce || kind == Kind::kReduceScatter;
  }
  bool is_message() const { return kind == Kind::kSend || kind == Kind::kRecv; }
  bool signals() const { return kind == Kind::kPutSignal || kind == Kind::kSignal; }
  bool is_one_sided() const { return signals() || kind == Kind::kWaitSignal; }
  bool has_type() const { return kind != Kind::kSignal && kind != Kind::kWaitSignal; }
};

size_t type_bytes(ncclDataType_t type);
const char* type_name(ncclDataType_t type);  // "ncclBfloat16"
const char* reduction_name(ncclRedOp_t reduction);

// S of the usual bandwidth accounting, as nccl-tests has it: the whole of what is gathered or
// scattered.
size_t accounted_bytes(const Operation& operation, int ranks);

// What one rank puts into the meeting.
size_t contributed_bytes(const Operation& operation, int ranks);

// Protocol and time of an operation alone on its links, the fastest of the three protocols over a
// ring.
struct Transfer {
  double ns = 0;
  unsigned block = 544;  // threads per block, by which the protocols differ
  unsigned channels = 1;
};
Transfer transfer_of(const Operation& operation, int ranks);

// Mangled, as NCCL since 2.19 names it. Names say LL whatever protocol runs, and Sum for every
// reduction.
std::string kernel_name(const Operation& operation);
std::string generic_kernel_name();

}  // namespace mfusim::nccl
