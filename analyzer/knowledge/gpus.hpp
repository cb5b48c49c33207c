// What each GPU can do at most, from gpus.csv. A GPU that is not listed has no peaks: never a
// default, never the nearest relative.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mfushim/format/enums.hpp"

namespace mfushim::knowledge {

struct Peak {
  format::DType dtype;
  double flops_per_s;  // dense
};

struct Gpu {
  std::string name;
  std::vector<std::string> driver_names;
  std::vector<Peak> peaks;  // matrix products, of the types that it has units for
  std::optional<double> hbm_bytes_per_s;
  std::string uncertain_fields;  // as the data file says

  std::optional<double> peak(format::DType dtype) const;
};

const std::vector<Gpu>& all_gpus();

// By the exact string that the driver gives, or the table's own name. Null when unknown.
const Gpu* find_gpu(std::string_view name);

}  // namespace mfushim::knowledge
