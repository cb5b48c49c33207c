// The chosen GPU's figures (MFUSIM_GPU, a row of data/gpus.csv) and the roofline that turns work
// into time.
#pragma once
#include <cstdint>
#include <string>

namespace mfusim {

struct GpuModel {
  std::string name;         // row of the table
  std::string driver_name;  // as cuDeviceGetName gives it
  int major = 0, minor = 0;
  int sm_count = 0;
  int clock_khz = 0;
  uint64_t memory_bytes = 0;
  double memory_rate = 0, peer_rate = 0, host_rate = 0;  // bytes/s
  int l2_bytes = 0;
  int shared_per_sm = 0;
  int threads_per_sm = 0;
  double fp64 = 0, fp32 = 0, tf32 = 0, fp16 = 0, fp8 = 0, fp4 = 0,
         int8 = 0;  // FLOP/s, 0 when absent
};

const GpuModel& gpu_model();
// MFUSIM_GPUS, default 1.
int gpu_count();

// Dense peak in FLOP/s of a cudaDataType_t value; -1: CUDA-core fp32. A type the GPU lacks runs at
// fp32's.
double peak_flops(int dtype);

// max(fixed, flops / peak, bytes / memory rate) + the time any kernel takes, in ns.
uint64_t roofline_ns(double flops, double bytes, int dtype, uint64_t fixed_ns);
// Likewise for a kernel that states no cost: its products are of a 16-bit type, and it takes at
// least 2 us.
uint64_t modelled_ns(double flops, double bytes);
uint64_t transfer_ns(uint64_t bytes, double rate);

}  // namespace mfusim
