// What each GPU can do at most, from gpus.csv. A GPU that is not listed has no peaks: never a
// default, never the nearest relative.
#pragma once

#include <cstdint>
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
  std::optional<double> memory_bytes;
  std::optional<double> sm_count;   // absent too where the data file is not sure
  std::optional<double> boost_mhz;  // the clock at which its units reach the peaks
  std::string uncertain_fields;     // as the data file says

  double compute_capability = 0;

  std::optional<double> peak(format::DType dtype) const;
  // Whether products of this type run at twice the peak where half of a matrix is zeros (2:4).
  bool has_sparse(format::DType dtype) const;
};

const std::vector<Gpu>& all_gpus();

// By the exact string that the driver gives, or the table's own name. Null when unknown.
const Gpu* find_gpu(std::string_view name);

// The GPUs that a name may mean: one; or several relatives that differ in form or memory.
struct GpuMatch {
  std::vector<const Gpu*> candidates;  // most likely first; none: the name is not known
  double part = 1;                     // of its multiprocessors, where the device is a slice
  std::string note;                    // what was concluded from more than the name

  struct Range {
    double low;
    double high;
  };
  // Dense FLOP/s; absent when a candidate has no units of this type, or there is none.
  std::optional<Range> peak(format::DType dtype) const;
  // The clock behind the peaks; absent, too, where candidates differ.
  std::optional<double> boost_mhz() const;
};

// As people write it: a name as above, or words of one (H100, h100-sxm-80gb, rtx 4090). What the
// words leave open is taken as the SXM form, when there is one such peak; then `note` says so.
GpuMatch match_gpu(std::string_view name);

// What a log tells of a device; 0 is not known.
struct DeviceFacts {
  std::string_view name;  // as the driver gives it
  std::uint32_t sm_count = 0;
  std::uint64_t memory_bytes = 0;
};

// Tells relatives of one name apart by multiprocessors and memory; the rest stay candidates. An
// instance of a partitioned GPU (MIG) is the part of its multiprocessors.
GpuMatch identify_gpu(const DeviceFacts& device);

}  // namespace mfushim::knowledge
