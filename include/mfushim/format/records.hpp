// One struct per record kind, each with its fields in wire order: the writer, the reader, the text
// form and the documentation all follow these tables.
//
// Units: host stamps (`start`, `duration` of calls) are ticks of the file header's clock, device
// stamps are integer nanoseconds of the GPU time source's own clock (see GpuTime), sizes are bytes.
// Ids are per log and start at 1; 0 is "none" or "unknown". A definition precedes its first use.
#pragma once

#include <tuple>

#include "mfushim/format/records_calls.hpp"
#include "mfushim/format/records_definitions.hpp"
#include "mfushim/format/records_device.hpp"
#include "mfushim/format/records_evidence.hpp"

namespace mfushim::format {

// Every record type there is, in order of kind.
using AllRecords =
    std::tuple<Fact, Name, Thread, Device, Stream, Queue, LaunchConfig, GemmShape, Communicator,
               CollectiveShape, ClockAnchor, OperationShape, Launch, GraphLaunch, Copy, Set, Sync,
               Gemm, Collective, Call, Mark, Operation, Captured, Graph, GpuKernel, GpuCopy, GpuSet,
               GpuState, GpuTime, Loss, Coverage, Module, Cost>;

// Calls visitor.template operator()<Record>() for the record type of `kind`; false when unknown.
template <class Visitor>
constexpr bool with_record(Kind kind, Visitor&& visitor) {
  return [&]<class... R>(std::tuple<R...>*) {
    return ((R::kKind == kind ? (visitor.template operator()<R>(), true) : false) || ...);
  }(static_cast<AllRecords*>(nullptr));
}

template <class Record>
concept HasKey = requires(const Record& r) {
  r.key();
};
template <class Record>
concept HasSpan = requires(const Record& r) {
  r.start;
  r.duration;
};

}  // namespace mfushim::format
