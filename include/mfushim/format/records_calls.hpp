// Calls of the host; the lane of their blocks is the thread.
#pragma once

#include <cstdint>
#include <tuple>

#include "mfushim/format/enums.hpp"
#include "mfushim/format/field.hpp"

namespace mfushim::format {

// What all host calls share.
struct CallBase {
  std::uint32_t api = 0;       // name id of the entry point
  std::uint32_t subject = 0;   // what the call is about; each record says which id this is
  std::uint64_t duration = 0;  // of the outermost intercepted call
  std::uint64_t start = 0;
  std::uint64_t sequence = 0;  // numbers the thread's recorded calls at their entry, from 1
  std::uint32_t parent = 0;  // sequence distance back to the recorded call around this one; 0: none
  std::int32_t result = 0;   // return value
  std::uint32_t key() const { return subject * 31 + api; }
};

constexpr auto call_fields() {
  return std::tuple{Field{"api", &CallBase::api},
                    Field{"subject", &CallBase::subject},
                    Field{"duration", &CallBase::duration, Transform::kByKey},
                    Field{"start", &CallBase::start, Transform::kSinceEnd},
                    Field{"sequence", &CallBase::sequence, Transform::kDelta},
                    Field{"parent", &CallBase::parent},
                    Field{"result", &CallBase::result}};
}

// Kernel launch; subject = LaunchConfig.
struct Launch : CallBase {
  static constexpr Kind kKind = Kind::kLaunch;
  std::uint32_t stream = 0;
  std::uint32_t correlation = 0;  // joins device records within this process; 0: none
  static constexpr auto fields() {
    return std::tuple_cat(
        call_fields(), std::tuple{Field{"stream", &Launch::stream},
                                  Field{"correlation", &Launch::correlation, Transform::kDelta}});
  }
};

// Launch of an executable graph; subject = its number (see Graph).
struct GraphLaunch : CallBase {
  static constexpr Kind kKind = Kind::kGraphLaunch;
  std::uint32_t stream = 0;
  std::uint32_t correlation = 0;
  static constexpr auto fields() {
    return std::tuple_cat(call_fields(), std::tuple{Field{"stream", &GraphLaunch::stream},
                                                    Field{"correlation", &GraphLaunch::correlation,
                                                          Transform::kDelta}});
  }
};

// Copy; subject = stream (0: a form without a stream argument).
struct Copy : CallBase {
  static constexpr Kind kKind = Kind::kCopy;
  std::uint64_t bytes = 0;
  CopyKind copy_kind = CopyKind::kUnknown;
  std::uint32_t correlation = 0;
  static constexpr auto fields() {
    return std::tuple_cat(
        call_fields(),
        std::tuple{Field{"bytes", &Copy::bytes}, Field{"copy_kind", &Copy::copy_kind},
                   Field{"correlation", &Copy::correlation, Transform::kDelta}});
  }
};

// Memory set; subject = stream.
struct Set : CallBase {
  static constexpr Kind kKind = Kind::kSet;
  std::uint64_t bytes = 0;
  std::uint32_t correlation = 0;
  static constexpr auto fields() {
    return std::tuple_cat(call_fields(),
                          std::tuple{Field{"bytes", &Set::bytes},
                                     Field{"correlation", &Set::correlation, Transform::kDelta}});
  }
};

// Call that waits for the device: its duration is blocked time; subject = stream, 0: context or
// device.
struct Sync : CallBase {
  static constexpr Kind kKind = Kind::kSync;
  static constexpr auto fields() { return call_fields(); }
};

// Matrix product, the outermost call of it; subject = GemmShape. A grouped call is one record a
// group member shape, all with the sequence of the call, `repeat` products each.
struct Gemm : CallBase {
  static constexpr Kind kKind = Kind::kGemm;
  std::uint32_t stream = 0;
  std::uint32_t repeat = 1;
  static constexpr auto fields() {
    return std::tuple_cat(
        call_fields(), std::tuple{Field{"stream", &Gemm::stream}, Field{"repeat", &Gemm::repeat}});
  }
};

// Collective or point-to-point call; subject = CollectiveShape.
struct Collective : CallBase {
  static constexpr Kind kKind = Kind::kCollective;
  std::uint32_t stream = 0;
  std::uint32_t number = 0;  // per communicator in order of the calls, from 0
  std::uint32_t group = 0;   // calls of one NCCL group share it; 0: not in a group
  static constexpr auto fields() {
    return std::tuple_cat(call_fields(),
                          std::tuple{Field{"stream", &Collective::stream},
                                     Field{"number", &Collective::number, Transform::kDelta},
                                     Field{"group", &Collective::group, Transform::kDelta}});
  }
};

// Call that executes operations of a network library; subject = OperationShape. A call that does
// several products is one record each, all with the sequence of the call.
struct Operation : CallBase {
  static constexpr Kind kKind = Kind::kOperation;
  std::uint32_t stream = 0;
  static constexpr auto fields() {
    return std::tuple_cat(call_fields(), std::tuple{Field{"stream", &Operation::stream}});
  }
};

// A call whose work went into a graph instead of being done: `of` is the kind of record that it
// would have made, and subject, number (repeat) and group are as that one has them. The work is
// done by each launch of a graph that contains `graph`.
struct Captured : CallBase {
  static constexpr Kind kKind = Kind::kCaptured;
  std::uint32_t graph = 0;
  Kind of = Kind::kNone;
  std::uint32_t number = 0;
  std::uint32_t group = 0;
  static constexpr auto fields() {
    return std::tuple_cat(call_fields(),
                          std::tuple{Field{"graph", &Captured::graph}, Field{"of", &Captured::of},
                                     Field{"number", &Captured::number, Transform::kDelta},
                                     Field{"group", &Captured::group, Transform::kDelta}});
  }
};

// A call that made a graph what it is from then on; subject = its number. It contains what the
// graphs `base` and `added` contain (0: nothing), each once, and what was captured into its own
// number. Numbers never change their meaning: a graph that changes gets another one.
struct Graph : CallBase {
  static constexpr Kind kKind = Kind::kGraph;
  std::uint32_t base = 0;
  std::uint32_t added = 0;
  std::uint32_t flags = 0;
  static constexpr auto fields() {
    return std::tuple_cat(call_fields(),
                          std::tuple{Field{"base", &Graph::base}, Field{"added", &Graph::added},
                                     Field{"flags", &Graph::flags}});
  }
};

// Any other recorded call (allocation, graph instantiation, NCCL group end, ...); subject = name id
// of a detail, or 0. `bytes` where the call has a size.
struct Call : CallBase {
  static constexpr Kind kKind = Kind::kCall;
  std::uint64_t bytes = 0;
  static constexpr auto fields() {
    return std::tuple_cat(call_fields(), std::tuple{Field{"bytes", &Call::bytes}});
  }
};

// A named span of host time that the program announced itself, as a profiler's step; subject =
// name.
struct Mark : CallBase {
  static constexpr Kind kKind = Kind::kMark;
  static constexpr auto fields() { return call_fields(); }
};

}  // namespace mfushim::format
