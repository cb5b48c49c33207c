// Turns the rows of gpus.csv into peaks by element type.
#include "knowledge/gpus.hpp"

#include "knowledge/csv.hpp"
#include "knowledge/data_files.hpp"
#include "knowledge/text.hpp"

namespace mfushim::knowledge {

namespace {

using format::DType;

struct PeakColumn {
  std::string_view column;
  DType dtype;
};

// The first column of a type that has a value wins: fp64 and fp32 products run on tensor cores
// where there are some. fp32 stays apart from tf32, which a program has to ask for.
constexpr PeakColumn kPeakColumns[] = {
    {"fp64_tc_tflops", DType::kF64},   {"fp64_tflops", DType::kF64},
    {"fp32_tflops", DType::kF32},      {"tf32_tc_tflops", DType::kTf32},
    {"fp16_tc_tflops", DType::kF16},   {"bf16_tc_tflops", DType::kBf16},
    {"fp8_tc_tflops", DType::kF8E4M3}, {"fp8_tc_tflops", DType::kF8E5M2},
    {"fp4_tc_tflops", DType::kF4E2M1}, {"int8_tc_tops", DType::kI8},
};

Gpu make_gpu(const CsvRow& row) {
  Gpu gpu;
  gpu.name = row.find("gpu")->second;
  if (const auto cell = row.find("device_name_strings"); cell != row.end())
    gpu.driver_names = split(cell->second, '|');
  if (const auto cell = row.find("uncertain_fields"); cell != row.end())
    gpu.uncertain_fields = cell->second;
  for (const auto& [column, dtype] : kPeakColumns)
    if (const auto tera = number_in(row, column); tera && !gpu.peak(dtype))
      gpu.peaks.push_back({dtype, *tera * 1e12});
  gpu.compute_capability = number_in(row, "compute_capability").value_or(0);
  if (const auto giga = number_in(row, "hbm_gb_per_s")) gpu.hbm_bytes_per_s = *giga * 1e9;
  if (const auto giga = number_in(row, "hbm_gb")) gpu.memory_bytes = *giga * (1 << 30);
  // Only where multiprocessors x clock x what their units do in a cycle was found to be the peak.
  if (number_in(row, "check_fp16_sm_x_clock")) gpu.boost_mhz = number_in(row, "boost_mhz");
  if (gpu.uncertain_fields.find("sm_count") == std::string::npos &&
      gpu.uncertain_fields.find("SM count") == std::string::npos)
    gpu.sm_count = number_in(row, "sm_count");
  return gpu;
}

}  // namespace

std::optional<double> Gpu::peak(DType dtype) const {
  for (const Peak& candidate : peaks)
    if (candidate.dtype == dtype) return candidate.flops_per_s;
  return std::nullopt;
}

bool Gpu::has_sparse(DType dtype) const {
  constexpr double kAmpere = 8;
  return compute_capability >= kAmpere && dtype != DType::kF32 && dtype != DType::kF64 &&
         peak(dtype);
}

const std::vector<Gpu>& all_gpus() {
  static const std::vector<Gpu> gpus = [] {
    std::vector<Gpu> made;
    for (const CsvRow& row : parse_csv(kGpusCsv)) made.push_back(make_gpu(row));
    return made;
  }();
  return gpus;
}

const Gpu* find_gpu(std::string_view name) {
  for (const Gpu& gpu : all_gpus()) {
    if (gpu.name == name) return &gpu;
    for (const std::string& known : gpu.driver_names)
      if (known == name) return &gpu;
  }
  return nullptr;
}

}  // namespace mfushim::knowledge
