// Reads the chosen row of the GPU table; the numbers and their sources stand in data/gpus.csv.
#include "gpu_model.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <vector>

#include "device_clock.hpp"
#include "driver_header.h"
#include "gpu_table.hpp"
#include "library_types.h"

namespace mfusim {
namespace {

constexpr char kDefaultGpu[] = "H100-SXM5-80GB";
constexpr uint64_t kKernelFloorNs = 1'500;    // an empty kernel on the device
constexpr uint64_t kModelledFloorNs = 2'000;  // of a kernel that states no cost
constexpr uint64_t kTransferFloorNs = 1'500;

using Row = std::map<std::string, std::string>;

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> out;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, ',');) out.push_back(field);
  return out;
}

std::vector<Row> table() {
  std::vector<Row> rows;
  std::vector<std::string> header;
  std::istringstream in(kGpuTable);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const auto cells = fields(line);
    if (header.empty()) {
      header = cells;
      continue;
    }
    Row& row = rows.emplace_back();
    for (size_t i = 0; i < header.size(); ++i) row[header[i]] = i < cells.size() ? cells[i] : "";
  }
  return rows;
}

GpuModel model_of(const Row& row) {
  const auto number = [&](const char* column) { return strtod(row.at(column).c_str(), nullptr); };
  GpuModel m;
  m.name = row.at("name");
  m.driver_name = row.at("driver_name");
  sscanf(row.at("compute_capability").c_str(), "%d.%d", &m.major, &m.minor);
  m.sm_count = int(number("sm_count"));
  m.clock_khz = int(number("clock_mhz")) * 1000;
  m.memory_bytes = strtoull(row.at("memory_bytes").c_str(), nullptr, 10);
  m.memory_rate = number("memory_gb_per_s") * 1e9;
  m.peer_rate = number("peer_gb_per_s") * 1e9;
  m.host_rate = number("host_gb_per_s") * 1e9;
  m.l2_bytes = int(number("l2_mb")) << 20;
  m.shared_per_sm = int(number("shared_per_sm_kb")) << 10;
  m.threads_per_sm = int(number("threads_per_sm"));
  const std::pair<const char*, double*> peaks[] = {
      {"fp64", &m.fp64}, {"fp32", &m.fp32}, {"tf32", &m.tf32}, {"fp16", &m.fp16},
      {"fp8", &m.fp8},   {"fp4", &m.fp4},   {"int8", &m.int8}};
  for (auto [column, value] : peaks) *value = number(column) * 1e12;
  return m;
}

GpuModel chosen_model() {
  const char* asked = getenv("MFUSIM_GPU");
  const std::string name = asked && *asked ? asked : kDefaultGpu;
  const auto rows = table();
  const auto named = [](const std::string& n) {
    return [n](const Row& r) { return r.at("name") == n; };
  };
  auto row = std::find_if(rows.begin(), rows.end(), named(name));
  if (row == rows.end()) {
    fprintf(stderr, "mfusim: no GPU named %s; using %s\n", name.c_str(), kDefaultGpu);
    row = std::find_if(rows.begin(), rows.end(), named(kDefaultGpu));
  }
  return model_of(*row);
}

}  // namespace

const GpuModel& gpu_model() {
  static const GpuModel* model = new GpuModel(chosen_model());
  return *model;
}

int gpu_count() {
  static const int count = [] {
    const char* text = getenv("MFUSIM_GPUS");
    return text ? std::clamp(atoi(text), 0, 64) : 1;
  }();
  return count;
}

double peak_flops(int dtype) {
  const GpuModel& m = gpu_model();
  const auto or_fp32 = [&](double peak) { return peak > 0 ? peak : m.fp32; };
  switch (dtype) {
    case CUDA_R_16F:
    case CUDA_C_16F:
    case CUDA_R_16BF:
    case CUDA_C_16BF:
      return or_fp32(m.fp16);
    case CUDA_R_64F:
    case CUDA_C_64F:
      return or_fp32(m.fp64);
    case CUDA_R_32F:
    case CUDA_C_32F:
      return or_fp32(m.tf32);
    case CUDA_R_8I:
    case CUDA_R_8U:
    case CUDA_C_8I:
    case CUDA_C_8U:
      return or_fp32(m.int8);
    case CUDA_R_8F_E4M3:
    case CUDA_R_8F_E5M2:
      return or_fp32(m.fp8);
#if CUDA_VERSION >= 12080
    case CUDA_R_4F_E2M1:
      return or_fp32(m.fp4);
#endif
    default:
      return m.fp32;
  }
}

uint64_t roofline_ns(double flops, double bytes, int dtype, uint64_t fixed_ns) {
  if (instant()) return 0;
  const double seconds = std::max(flops / peak_flops(dtype), bytes / gpu_model().memory_rate);
  return std::max(fixed_ns, uint64_t(seconds * 1e9)) + kKernelFloorNs;
}

uint64_t modelled_ns(double flops, double bytes) {
  if (instant()) return 0;
  const double seconds = std::max(flops / peak_flops(CUDA_R_16F), bytes / gpu_model().memory_rate);
  return std::max(kModelledFloorNs, uint64_t(seconds * 1e9));
}

uint64_t transfer_ns(uint64_t bytes, double rate) {
  return instant() ? 0 : kTransferFloorNs + uint64_t(double(bytes) / rate * 1e9);
}

}  // namespace mfusim
