// A program that uses the recording engine as hooks do, in one of several lives; the engine's tests
// run it and read what it leaves. It prints the number of records whose emission returned.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "recorder.hpp"
#include "sources.hpp"

namespace {

using namespace mfushim;

constexpr int kKernels = 7;
int g_grids = 13;

// One launch, as a hook would record it: definitions looked up each time, by all threads at once.
void record_launch(int i) {
  format::LaunchConfig config;
  config.kernel = shim::intern("kernel_" + std::to_string(i % kKernels));
  config.grid_x = static_cast<std::uint32_t>(i % g_grids) + 1;
  format::Launch launch;
  launch.api = shim::api_name(format::Api::cuLaunchKernel);
  launch.subject = shim::intern(config);
  launch.start = shim::now();
  launch.duration = shim::now() - launch.start;
  launch.sequence = ++shim::thread_state().sequence;
  launch.correlation = static_cast<std::uint32_t>(i);
  shim::covered(
      shim::source_number(shim::Door::kDlsym, format::Api::cuLaunchKernel, "engine_probe"));
  shim::emit(launch);
}

// Records emitted by all threads; stops where recording does.
long record(int threads, int each) {
  std::vector<std::thread> workers;
  std::vector<long> counts(static_cast<std::size_t>(threads));
  for (int t = 0; t < threads; ++t)
    workers.emplace_back([&count = counts[static_cast<std::size_t>(t)], each] {
      for (int i = 0; i < each && shim::recording(); ++i, ++count) record_launch(i);
    });
  for (auto& worker : workers) worker.join();
  long sum = 0;
  for (const long count : counts) sum += count;
  return sum;
}

void tell(long count) {
  std::printf("%ld\n", count);
  std::fflush(stdout);
}

int forked(int threads, int each) {
  tell(record(threads, each));
  const pid_t child = fork();
  if (child == 0) {
    if (shim::recording()) std::_Exit(9);
    shim::start();
    record(1, 50);
    std::exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

// Closes everything and opens a file of its own, whose descriptors may have been the recorder's.
void close_descriptors(const char* own_file) {
  for (int fd = 3; fd < 2000; ++fd) close(fd);
  for (int i = 0; i < 600; ++i) {
    const int fd = open(own_file, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (fd < 0) std::_Exit(9);
  }
}

}  // namespace

// engine_probe LIFE THREADS RECORDS_EACH [FILE]
int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const std::string_view life = argv[1];
  const int threads = std::atoi(argv[2]), each = std::atoi(argv[3]);
  if (life == "arm") {
    shim::arm();
    return 0;
  }
  if (life == "sizes") g_grids = each;
  if (life == "small-files") {
    const rlimit limit = {64 * 1024, 64 * 1024};
    std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  shim::start();
  if (life == "fork") return forked(threads, each);
  if (life == "closer") {
    tell(record(threads, each / 2));
    close_descriptors(argv[4]);
  }
  tell(record(threads, each));
  if (life == "killed") raise(SIGKILL);
  if (life == "hasty") _exit(0);
  return 0;
}
