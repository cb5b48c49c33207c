// How fast a native log is read and analysed, on one core: a training loop of many steps, as the
// recorder would leave it, made here and reported as `mfushim report` does.
#include <fmt/format.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "model/build_run.hpp"
#include "passes/analysis.hpp"
#include "read/log_writer.hpp"
#include "report/json_report.hpp"

namespace {

using namespace mfushim;

constexpr std::uint64_t kStep = 3000;  // launches of one step
constexpr std::uint64_t kSteps = 1000;
constexpr std::uint32_t kConfigs = 200;
constexpr double kBudgetRecordsPerSecond = 10e6;

void write_definitions(read::LogWriter& log) {
  log.add(0, format::Fact{"rank", "0"});
  log.add(0, format::Name{1, "cudaLaunchKernel"});
  log.add(0, format::Name{2, "cublasGemmEx"});
  log.add(0, format::Device{.index = 0, .name = "NVIDIA H100 80GB HBM3", .uuid = {}});
  log.add(0, format::Queue{.id = 1, .device = 0, .context = 1, .stream = 7});
  log.add(0, format::ClockAnchor{.ticks = 0, .realtime_ns = 0});
  log.add(0, format::GpuTime{.source = format::GpuTimeSource::kCupti, .reason = {}});
  for (std::uint32_t i = 1; i <= kConfigs; ++i) {
    const std::string name = fmt::format("kernel_number_{}", i);
    log.add(0, format::Name{.id = i + 2, .text = name});
    log.add(0, format::LaunchConfig{.id = i, .kernel = i + 2, .grid_x = i, .block_x = 128});
  }
  log.add(0,
          format::GemmShape{.id = 1, .m = 4096, .n = 4096, .k = 1024, .a = format::DType::kBf16});
}

// Every fourth launch is inside of a product's call; durations vary as on a real GPU.
std::uint64_t write_steps(read::LogWriter& log) {
  std::mt19937 random(3);
  std::uint64_t host = 1000;
  std::uint64_t device = 20'000;
  std::uint64_t sequence = 0;
  std::uint64_t records = 0;
  for (std::uint64_t i = 0; i < kStep * kSteps; ++i) {
    const auto config = static_cast<std::uint32_t>(i % kStep % kConfigs + 1);
    const auto correlation = static_cast<std::uint32_t>(i + 1);
    const bool product = i % 4 == 0;
    if (product) {
      format::Gemm call;
      call.api = 2;
      call.subject = 1;
      call.start = host;
      call.duration = 3900;
      call.sequence = ++sequence;
      log.add(1, call);
    }
    format::Launch launch;
    launch.api = 1;
    launch.subject = config;
    launch.start = host + 300;
    launch.duration = 3000 + random() % 500;
    launch.sequence = ++sequence;
    launch.parent = product;
    launch.correlation = correlation;
    log.add(1, launch);
    const std::uint64_t duration = 4000 + 30 * config + random() % 300;
    log.add(1, format::GpuKernel{
                   {.duration = duration, .start = device, .correlation = correlation}, config});
    device += duration + random() % 1000;
    host += 5000 + random() % 400;
    records += product ? 3 : 2;
  }
  return records;
}

// Processor time of this one thread: other programs on the machine do not count.
double cpu_seconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

struct CountRecords {
  std::uint64_t count = 0;
  template <class Record>
  void records(std::uint32_t, std::span<const Record> records) {
    count += records.size();
  }
  void unknown(const format::BlockHeader&, std::span<const std::uint8_t>) {}
};

std::size_t peak_memory_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) * 1024;
  return 0;
}

}  // namespace

int main() {
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("mfushim-bench-{}.mfl", ::getpid());
  read::LogWriter log(path.string(), {});
  write_definitions(log);
  const auto records = static_cast<double>(write_steps(log));
  log.close();

  double begin = cpu_seconds();
  read::LogReader reader(path.string());
  CountRecords counter;
  while (reader.next()) reader.blocks(counter);
  const double decoded = cpu_seconds() - begin;

  begin = cpu_seconds();
  const auto runs = model::build_runs({path.string()});
  const std::string report = report::json_report(passes::analyze(runs.front(), {})).dump();
  const double reported = cpu_seconds() - begin;
  const auto size = static_cast<double>(std::filesystem::file_size(path));
  std::filesystem::remove(path);

  fmt::print(
      R"({{"what": "reading and analysing a native log, one core", "figure": {:.0f}, "unit": "records/s", )"
      R"("budget": {:.0f}, "better": "higher"}})"
      "\n",
      records / reported, kBudgetRecordsPerSecond);
  fmt::print(
      R"({{"what": "of that, decoding alone", "figure": {:.0f}, "unit": "records/s", "better": "higher"}})"
      "\n",
      static_cast<double>(counter.count) / decoded);
  fmt::print(
      R"({{"what": "log bytes per launch with its GPU record, synthetic loop", "figure": {:.2f}, "unit": "bytes"}})"
      "\n",
      size / static_cast<double>(kStep * kSteps));
  fmt::print(R"({{"what": "memory of that report", "figure": {:.0f}, "unit": "MB"}})"
             "\n",
             static_cast<double>(peak_memory_bytes()) / 1e6);
  return report.empty();
}
