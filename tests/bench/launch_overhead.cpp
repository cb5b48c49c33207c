// What the recorder adds to a launch, GPU timing off, beside the cost of two time-stamp reads in
// the same run. The driver is a stub, so nothing else is measured; bare and recorded runs
// alternate, and the best of several counts, since whatever disturbs only adds. Of single launches
// the slowest of 10,000 is told: what a full chunk of the ring or a woken writer adds.
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
#include <vector>

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

struct Figures {
  double launch_ns;  // of the best burst, on average
  double slow_ns;    // 99.99 % of single launches take no longer
};

Figures measure() {
  void* function = nullptr;
  cuInit(0);
  cuModuleGetFunction(&function, nullptr, "kernel");
  const auto launch = [function](int i) {
    cuLaunchKernel(function, static_cast<unsigned>(i % 8) + 1, 1, 1, 128, 1, 1, 0, nullptr, nullptr,
                   nullptr);
  };
  std::vector<unsigned long long> ticks;
  ticks.reserve(std::size_t{kBursts} * kBurst);
  const auto begin = Clock::now();
  const unsigned long long first = __rdtsc();
  best_ns([&](int i) {
    const unsigned long long before = __rdtsc();
    launch(i);
    ticks.push_back(__rdtsc() - before);
  });
  const std::chrono::duration<double, std::nano> took = Clock::now() - begin;
  const double ns_per_tick = took.count() / static_cast<double>(__rdtsc() - first);
  const auto slow = ticks.begin() + static_cast<std::ptrdiff_t>(ticks.size() / 10000 * 9999);
  std::nth_element(ticks.begin(), slow, ticks.end());
  return {best_ns(launch), static_cast<double>(*slow) * ns_per_tick};
}

double two_reads_ns() {
  volatile unsigned long long sink = 0;
  return best_ns([&sink](int) {
    const unsigned long long first = __rdtsc();
    sink = __rdtsc() - first;
  });
}

// This program as another process that measures and prints its figures.
Figures measured(const std::string& environment) {
  const std::string command =
      environment + " " + std::filesystem::read_symlink("/proc/self/exe").string() + " measure";
  std::FILE* const child = popen(command.c_str(), "r");
  Figures figures{};
  if (child == nullptr ||
      std::fscanf(child, "%lf %lf", &figures.launch_ns, &figures.slow_ns) != 2 ||
      pclose(child) != 0) {
    std::fprintf(stderr, "launch_overhead: '%s' failed\n", command.c_str());
    std::exit(1);
  }
  return figures;
}

void keep_best(Figures& best, const Figures& other) {
  best.launch_ns = std::min(best.launch_ns, other.launch_ns);
  best.slow_ns = std::min(best.slow_ns, other.slow_ns);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "measure") == 0) {
    const Figures figures = measure();
    std::printf("%f %f\n", figures.launch_ns, figures.slow_ns);
    return 0;
  }
  char folder[] = "/tmp/mfushim-bench-XXXXXX";
  if (mkdtemp(folder) == nullptr) return 1;
  const std::string recorder =
      std::string("LD_PRELOAD=" MFUSHIM_RECORDER " MFUSHIM_GPU_TIME=off MFUSHIM_OUT=") + folder;
  Figures bare{1e9, 1e9}, recorded{1e9, 1e9};
  for (int i = 0; i < kRuns; ++i) {
    keep_best(bare, measured(""));
    keep_best(recorded, measured(recorder));
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
      recorded.launch_ns - bare.launch_ns, kBudget * reads);
  std::printf(
      "{\"what\": \"slowest of 10,000 launches, without the recorder\", \"figure\": %.0f, "
      "\"unit\": \"ns\"}\n",
      bare.slow_ns);
  std::printf(
      "{\"what\": \"slowest of 10,000 launches, recorded\", \"figure\": %.0f, \"unit\": "
      "\"ns\"}\n",
      recorded.slow_ns);
  return 0;
}
