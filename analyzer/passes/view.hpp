// Which device work counts, and as what: exactly, or as other tools do it, for comparison.
#pragma once

#include <cstdint>
#include <optional>

#include "model/run.hpp"

namespace mfushim::passes {

enum class View {
  kExact,      // every record; sets are memory traffic
  kHta,        // HolisticTraceAnalysis: of two or more profiler steps the last is dropped, and then
               // only records whose launch remains count
  kTracelens,  // TraceLens: sets are compute; only records with a launch count
};

enum class Share : std::uint8_t { kCompute, kCommunication, kCopy };

class Selection {
 public:
  Selection(const model::Rank& rank, View view);

  bool keeps(const model::DeviceWork& work) const;
  Share share_of(const model::DeviceWork& work) const;

 private:
  const model::Process& process_;
  View view_;
  std::optional<std::int64_t> last_step_;  // start of the step that HTA drops
};

}  // namespace mfushim::passes
