// How fast Kineto JSON is imported, and how many bytes of log a launch takes together with its GPU
// record: on the shared training traces, and without them on a trace of that kind made here.
#include <sys/resource.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "read/import_kineto.hpp"

namespace {

using namespace mfushim;

constexpr std::uint64_t kTextBytes = 200'000'000;  // imported for the speed, at least
constexpr double kSpeedBudget = 250;               // MB/s
constexpr double kSizeBudget = 3;                  // bytes

// Of this process, in user and system: on a busy machine the wall clock measures its other work.
double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::string inflated(const std::string& path) {
  const read::ByteSupply supply = read::open_text(path);
  std::string text;
  for (std::size_t n = 1; n != 0;) {
    const std::size_t size = text.size();
    text.resize(size + (std::size_t{1} << 20));
    n = supply.read(std::span(text).subspan(size));
    text.resize(size + n);
  }
  return text;
}

// Training runs among the shared traces, those whose stamps are microseconds and those whose stamps
// are nanoseconds, the last of which hold eight bits of noise more each.
struct Traces {
  const char* stamps;
  std::vector<const char*> names;
};

const std::vector<Traces>& training_traces() {
  static const std::vector<Traces> traces = {
      {"microseconds",
       {"hta/df_index_resolver__df_index_resolver.json.gz",
        "hta/timeline_analysis__sampled_rank-0.json.gz", "hta/trace_diff__control__control.json.gz",
        "hta/trace_diff__test__test.json.gz",
        "kineto_tb/samples__resnet50_num_workers_0__worker0.1623143089861.pt.trace.json.gz",
        "kineto_tb/samples__resnet50_num_workers_0__worker0.1623143566756.pt.trace.json.gz",
        "kineto_tb/samples__resnet50_num_workers_4__worker0.1623212756351.pt.trace.json.gz",
        "param/linear_kineto.json.gz"}},
      {"nanoseconds",
       {"hta/nccl_parser_config__nccl_data.json.gz",
        "hta/ns_resolution_trace__rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz",
        "tracelens/mi300__resnet_act_checkpoint.json.gz"}}};
  return traces;
}

std::string made_trace() {
  std::string text = R"({"schemaVersion":1,"traceEvents":[)";
  std::uint64_t now = 1'700'000'000'000'000;
  for (unsigned i = 1; text.size() < 40'000'000; ++i) {
    const unsigned noise = i * 2654435761u >> 28;
    now += 20 + noise;
    fmt::format_to(
        std::back_inserter(text),
        R"({{"ph": "X", "cat": "cpu_op", "name": "aten::add_", "pid": 9, "tid": 9, )"
        R"("ts": {0}, "dur": {1}, "args": {{"External id": {2}, "Ev Idx": {2}}}}},)"
        R"({{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, )"
        R"("tid": 9, "ts": {3}, "dur": {1}, "args": {{"cbid": 211, "correlation": {2}}}}},)"
        R"({{"ph": "s", "id": {2}, "pid": 9, "tid": 9, "ts": {3}, "cat": "ac2g"}},)"
        R"({{"ph": "X", "cat": "kernel", "name": "vectorized_kernel_{4}", )"
        R"("pid": 0, "tid": 7, "ts": {5}, "dur": {6}, "args": {{"device": 0, )"
        R"("context": 1, "stream": 7, "correlation": {2}, "registers per thread": 32, )"
        R"("shared memory": 0, "grid": [{7}, 1, 1], "block": [256, 1, 1]}}}},)",
        now, 5 + noise / 4, i, now + 2, i % 50, now + 9, 7 + i % 50 + noise / 8, 64 + i % 50);
  }
  text.back() = ']';
  return text + '}';
}

struct Imported {
  read::ImportedTrace trace;
  std::uint64_t log_bytes = 0;
};

Imported import_text(const std::string& text) {
  const std::string path = fmt::format("{}/mfushim-bench-{}.mfl",
                                       std::filesystem::temp_directory_path().string(), ::getpid());
  read::LogWriter writer(path, {});
  std::string_view rest = text;
  const auto take = [&](std::span<char> to) {
    const std::size_t n = std::min(rest.size(), to.size());
    std::memcpy(to.data(), rest.data(), n);
    rest.remove_prefix(n);
    return n;
  };
  Imported result{read::import_kineto({"trace", take}, writer), 0};
  writer.close();
  result.log_bytes = writer.bytes_written();
  ::unlink(path.c_str());
  return result;
}

void measure_speed(const std::vector<std::string>& texts) {
  std::uint64_t bytes = 0;
  const double before = cpu_seconds();
  while (bytes < kTextBytes)
    for (const std::string& text : texts) bytes += import_text(text).trace.text_bytes;
  fmt::print(R"({{"what": "import of Kineto JSON, one core", "figure": {:.1f}, "unit": "MB/s", )"
             R"("budget": {}, "better": "higher"}})"
             "\n",
             static_cast<double>(bytes) * 1e-6 / (cpu_seconds() - before), kSpeedBudget);
}

void measure_size(const std::string& of, const std::vector<std::string>& texts) {
  std::uint64_t bytes = 0;
  std::uint64_t launches = 0;
  for (const std::string& text : texts) {
    const Imported imported = import_text(text);
    bytes += imported.log_bytes;
    launches += std::max(imported.trace.launches, imported.trace.gpu_records);
  }
  fmt::print(R"({{"what": "log bytes per launch with its GPU record, {}", "figure": {:.2f}, )"
             R"("unit": "bytes", "budget": {}}})"
             "\n",
             of, static_cast<double>(bytes) / static_cast<double>(launches), kSizeBudget);
}

}  // namespace

int main() {
  const std::string shared = MFUSHIM_SHARED_TRACES;
  if (!std::filesystem::exists(shared)) {
    fmt::print("shared traces not present: figures are of a trace made here\n");
    const std::vector<std::string> made{made_trace()};
    measure_speed(made);
    measure_size("made trace", made);
    return 0;
  }
  std::vector<std::string> all;
  for (const Traces& traces : training_traces()) {
    std::vector<std::string> texts;
    for (const char* name : traces.names) texts.push_back(inflated(shared + "/" + name));
    measure_size(fmt::format("stamps in {}", traces.stamps), texts);
    std::move(texts.begin(), texts.end(), std::back_inserter(all));
  }
  measure_size("all training traces", all);
  measure_speed(all);
}
