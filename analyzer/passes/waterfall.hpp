// From the peak to MFU, the model's where it is known, in factors whose product is MFU exactly:
// what each cause takes.
#pragma once

#include <optional>
#include <vector>

#include "passes/counted_work.hpp"
#include "passes/efficiency.hpp"
#include "passes/ledger.hpp"
#include "passes/model_mfu.hpp"

namespace mfushim::passes {

struct WaterfallRow {
  const char* name = "";
  double factor = 1;
  double left = 1;           // of the peak, after this and all before
  double points_lost = 0;    // of the peak, in percent
  double gain_if_fixed = 0;  // of MFU as a fraction, if this alone were not; these do not add up
};

struct Waterfall {
  std::vector<WaterfallRow> rows;  // idle to recompute; the last one's `left` is MFU
};

// Absent without GPU times, peak or executed FLOPs.
std::optional<Waterfall> find_waterfall(const model::Run& run,
                                        const std::vector<std::optional<Activity>>& activities,
                                        const CountedWork& work, const Efficiency& efficiency,
                                        const std::optional<ModelMfu>& model);

}  // namespace mfushim::passes
