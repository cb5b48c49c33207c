// Facts about a run that both reports print.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/run.hpp"
#include "passes/roofline.hpp"

namespace mfushim::report {

struct RunFacts {
  std::string command;
  std::vector<std::string> hosts;
  std::optional<std::int64_t> start_unix_ns;
  std::optional<std::int64_t> duration_ns;  // first to last recorded call or device work
  std::vector<std::string> gpus;            // distinct names
};

RunFacts find_run_facts(const model::Run& run);

// The data-sheet peak of one GPU where all GPUs of the run have the same.
std::optional<double> common_peak(const model::Run& run, format::DType dtype);

// Likewise, and the bandwidth of its memory.
passes::Ceilings common_ceilings(const model::Run& run, format::DType dtype);

// All products for which the memory is the lower ceiling: how near they are to it is what counts of
// decoding. Absent where there are none, or no ceilings.
std::optional<passes::Roofline> products_below_ridge(const model::Run& run,
                                                     const passes::ProductResult& products);

}  // namespace mfushim::report
