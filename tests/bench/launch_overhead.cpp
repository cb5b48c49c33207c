// What the recorder adds to a launch, GPU timing off, beside the cost of two time-stamp reads in
// the same run. The driver is a stub, so nothing else is measured; bare and recorded runs
// alternate, and the best of several counts, since whatever disturbs only adds.
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

extern "C" {
int cuInit(unsigned);
int cuModuleGetFunction(void**, void*, const char*);
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   void*, void**, void**);
}

namespace {

using Clock = std::chrono::steady_clock;

// Launches come in bursts, as those of a training step do: the ring never fills, and the writer,
// which has a core of its own in a job, works in between.
constexpr int kBursts = 40, kBurst = 5000, kRuns = 5;
constexpr double kBudget = 1.6;  // times two reads

template <class Work>
double best_ns(Work&& work) {
  double best = 1e9;
  for (int burst = 0; burst < kBursts; ++burst) {
    const auto begin = Clock::now();
    for (int i = 0; i < kBurst; ++i) work(i);
    const std::chrono::duration<double, std::nano> took = Clock::now() - begin;
    best = std::min(best, took.count() / kBurst);
    usleep(5000);
  }
  return best;
}

double launch_ns() {
  void* function = nullptr;
  cuInit(0);
  cuModuleGetFunction(&function, nullptr, "kernel");
  return best_ns([function](int i) {
    cuLaunchKernel(function, static_cast<unsigned>(i % 8) + 1, 1, 1, 128, 1, 1, 0, nullptr, nullptr,
                   nullptr);
  });
}

double two_reads_ns() {
  volatile unsigned long long sink = 0;
  return best_ns([&sink](int) {
    const unsigned long long first = __rdtsc();
    sink = __rdtsc() - first;
  });
}

// This program as another process that measures and prints one number.
double measured(const std::string& environment) {
  const std::string command =
      environment + " " + std::filesystem::read_symlink("/proc/self/exe").string() + " measure";
  std::FILE* const child = popen(command.c_str(), "r");
  double ns = 0;
  if (child == nullptr || std::fscanf(child, "%lf", &ns) != 1 || pclose(child) != 0) {
    std::fprintf(stderr, "launch_overhead: '%s' failed\n", command.c_str());
    std::exit(1);
  }
  return ns;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "measure") == 0) {
    std::printf("%f\n", launch_ns());
    return 0;
  }
  char folder[] = "/tmp/mfushim-bench-XXXXXX";
  if (mkdtemp(folder) == nullptr) return 1;
  const std::string recorder =
      std::string("LD_PRELOAD=" MFUSHIM_RECORDER " MFUSHIM_GPU_TIME=off MFUSHIM_OUT=") + folder;
  double bare = 1e9, recorded = 1e9;
  for (int i = 0; i < kRuns; ++i) {
    bare = std::min(bare, measured(""));
    recorded = std::min(recorded, measured(recorder));
  }
  const bool has_log = !std::filesystem::is_empty(folder);
  std::filesystem::remove_all(folder);
  if (!has_log) {
    std::fprintf(stderr, "launch_overhead: nothing was recorded\n");
    return 1;
  }
  const double reads = two_reads_ns();
  std::printf("{\"what\": \"two time-stamp reads\", \"figure\": %.1f, \"unit\": \"ns\"}\n", reads);
  std::printf(
      "{\"what\": \"added host time per launch\", \"figure\": %.1f, \"unit\": \"ns\", "
      "\"budget\": %.1f}\n",
      recorded - bare, kBudget * reads);
  return 0;
}
