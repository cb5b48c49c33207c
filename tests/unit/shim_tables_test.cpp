// The tables behind the hooks: names of kernels, numbers of graphs and communicators, and the cache
// of ids that all threads share.
#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include "communicators.hpp"
#include "graphs.hpp"
#include "kernels.hpp"
#include "memo.hpp"
#include "rows.hpp"

using namespace mfushim::shim;
using mfushim::format::Api;
namespace format = mfushim::format;

namespace {

// A handle as a library would give it out.
const void* handle(std::uintptr_t value) {
  return reinterpret_cast<const void*>(value);
}

// Starts the recorder once: ids come from its log.
void begin_log() {
  setenv("MFUSHIM_OUT", MFUSHIM_TEST_LOGS, 1);
  setenv("MFUSHIM_GPU_TIME", "off", 1);
  start();
  REQUIRE(recording());
}

std::uint32_t config_of(const void* function) {
  return launch_config(launch_words(function, {8, 1, 1}, {128, 1, 1}, 0));
}

}  // namespace

TEST_CASE("twins share the row of the plain name") {
  STATIC_REQUIRE(plain(Api::cuLaunchKernel_ptsz) == Api::cuLaunchKernel);
  STATIC_REQUIRE(plain(Api::cuMemcpyHtoD_v2_ptds) == Api::cuMemcpyHtoD);
  STATIC_REQUIRE(plain(Api::cublasGemmEx_64) == Api::cublasGemmEx);
  STATIC_REQUIRE(plain(Api::cublasSgemm_v2_64) == Api::cublasSgemm);
  STATIC_REQUIRE(plain(Api::pncclSend) == Api::ncclSend);
  STATIC_REQUIRE(plain(Api::ncclBroadcastConfig) == Api::ncclBroadcast);
  STATIC_REQUIRE(plain(Api::pncclBroadcastConfig) == Api::ncclBroadcast);
  STATIC_REQUIRE(plain(Api::pncclCommInitRankConfig) == Api::ncclCommInitRank);
  // Where the name without its version is no row, the first version is the plain one.
  STATIC_REQUIRE(plain(Api::cudnnRNNBackwardData_v8) == Api::cudnnRNNBackwardData_v8);
  STATIC_REQUIRE(is_per_thread(Api::cudaMemcpy_ptds));
  STATIC_REQUIRE_FALSE(is_per_thread(Api::cudaMemcpy));
}

TEST_CASE("a kernel handle that is given out again has its new name") {
  begin_log();
  kernel_made(handle(0x1000), handle(0x1), "first");
  const std::uint32_t first = config_of(handle(0x1000));
  CHECK(first != 0);
  CHECK(config_of(handle(0x1000)) == first);
  kernels_unloaded(handle(0x1));
  kernel_made(handle(0x1000), handle(0x2), "second");
  const std::uint32_t second = config_of(handle(0x1000));
  CHECK(second != first);
  // Without the unloading seen as well: another owner or name is another kernel.
  kernel_made(handle(0x1000), handle(0x3), "third");
  CHECK(config_of(handle(0x1000)) != second);
  // The first name has its first id again.
  kernel_made(handle(0x5000), handle(0x4), "first");
  CHECK(config_of(handle(0x5000)) == first);
}

TEST_CASE("two handles of one kernel are one kernel") {
  begin_log();
  kernel_made(handle(0x7000), handle(0x7), "aliased");
  kernel_alias(handle(0x7100), handle(0x7000));
  CHECK(config_of(handle(0x7100)) == config_of(handle(0x7000)));
  kernels_unloaded(handle(0x7));
  kernel_made(handle(0x7100), handle(0x8), "another");
  CHECK(config_of(handle(0x7100)) != config_of(handle(0x7000)));
}

TEST_CASE("what a launch repeats is one configuration, and what differs another") {
  begin_log();
  kernel_made(handle(0x9000), handle(0x9), "shapes");
  const void* const f = handle(0x9000);
  const std::array<LaunchWords, 9> launches = {
      launch_words(f, {1, 2, 3}, {4, 5, 6}, 7),
      launch_words(f, {2, 2, 3}, {4, 5, 6}, 7),
      launch_words(f, {1, 3, 3}, {4, 5, 6}, 7),
      launch_words(f, {1, 2, 4}, {4, 5, 6}, 7),
      launch_words(f, {1, 2, 3}, {5, 5, 6}, 7),
      launch_words(f, {1, 2, 3}, {4, 6, 6}, 7),
      launch_words(f, {1, 2, 3}, {4, 5, 7}, 7),
      launch_words(f, {1, 2, 3}, {4, 5, 6}, 8),
      launch_words(f, {1, 2, 3}, {4, 5, 6}, 7, 1, {2, 1, 1})};
  for (const LaunchWords& one : launches)
    for (const LaunchWords& other : launches)
      CHECK((launch_config(one) == launch_config(other)) == (&one == &other));
}

TEST_CASE("graphs are numbered by their lives, not by their handles") {
  begin_log();
  const std::uint32_t one = graph_number(handle(0x100)), two = graph_number(handle(0x200));
  CHECK(one != 0);
  CHECK(two == one + 1);
  CHECK(graph_number(handle(0x100)) == one);
  graph_destroyed(handle(0x100));
  graph_destroyed(handle(0x999));
  CHECK(graph_number(handle(0x100)) == two + 1);
  CHECK(graph_number(handle(0x200)) == two);
}

TEST_CASE("what becomes of graphs is told once, as numbers") {
  begin_log();
  using Change = std::array<std::uint64_t, 4>;  // made, base, added, flags
  const auto told = [] {
    Details d;
    describe_graph(d);
    return Change{d.subject, d.number, d.group, d.bytes};
  };
  const void *const graph = handle(0x300), *const copy = handle(0x310), *const all = handle(0x320);
  const void* const executable = handle(0x330);
  graph_captured(graph, 7);
  CHECK(told() == Change{});
  graph_instantiated(executable, graph);
  const std::uint32_t first = graph_number(executable);
  CHECK(told() == Change{first, 7, 0, 0});
  CHECK(told() == Change{});

  graph_cloned(copy, graph);
  graph_destroyed(graph);
  graph_made(all);
  child_added(all, copy);  // contains that alone
  CHECK(told() == Change{});
  child_added(all, copy);
  CHECK(told() == Change{first + 1, 7, 7, 0});
  graph_captured(all, 9);
  CHECK(told() == Change{first + 2, first + 1, 9, 0});

  graph_instantiated(executable, all);  // an update
  CHECK(told() == Change{first + 3, first + 2, 0, 0});
  CHECK(graph_number(executable) == first + 3);
  graph_in_doubt(executable, format::kGraphEdited);
  CHECK(told() == Change{first + 4, first + 3, 0, format::kGraphEdited});
  graph_in_doubt(executable, format::kGraphEdited);
  CHECK(told() == Change{});

  graph_instantiated(executable, graph);  // which is no more
  CHECK(told() == Change{first + 5, 0, 0, format::kGraphUnseen});
  graph_used(graph);
  graph_captured(graph, 11);
  graph_instantiated(executable, graph);
  CHECK(told() == Change{first + 6, 11, 0, format::kGraphUnseen});
}

TEST_CASE("hashes of communicators") {
  // Published vectors of 64-bit FNV-1a.
  CHECK(fnv1a("", 0) == 0xcbf29ce484222325u);
  CHECK(fnv1a("a", 1) == 0xaf63dc4c8601ec8cu);
  CHECK(fnv1a("foobar", 6) == 0x85944171f73967e8u);
  CHECK(split_hash(1, 1, 0) != split_hash(1, 2, 0));
  CHECK(split_hash(1, 1, 0) != split_hash(1, 1, 1));
  CHECK(split_hash(1, 1, 0) != split_hash(2, 1, 0));
}

TEST_CASE("a communicator's handle begins a new life when it is made again") {
  CommunicatorState* const first = communicator_made(handle(0xc0), 11, 0, 1, 4);
  REQUIRE(first != nullptr);
  CHECK(find_communicator(handle(0xc0)) == first);
  CHECK(find_communicator(handle(0xc1)) == nullptr);
  CHECK(first->collectives++ == 0);
  CHECK(next_message(*first, true, 2) == 0);
  CHECK(next_message(*first, true, 2) == 1);
  CHECK(next_message(*first, false, 2) == 0);
  CHECK(next_message(*first, true, 3) == 0);
  communicator_ended(handle(0xc0));
  CHECK(find_communicator(handle(0xc0)) == nullptr);
  CHECK(find_communicator(nullptr) == nullptr);  // though an entry is free
  CommunicatorState* const second = communicator_made(handle(0xc0), 12, 0, 0, 2);
  REQUIRE(second != nullptr);
  CHECK(second->hash == 12);
  CHECK(second->collectives == 0);
  CHECK(next_message(*second, true, 2) == 0);
  communicator_ended(handle(0xc0));
}

TEST_CASE("the cache of ids gives each thread the id of its own key") {
  using Small = Memo<2, 4>;
  static Small memo;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::uint32_t i = 0; i < 20'000; ++i) {
        // Sixteen keys take turns in four slots.
        const std::uint32_t key = (i * 7 + t) % 16 + 1;
        const Small::Key words = {key, ~std::uint64_t{key}};
        if (memo.get(words, [&] { return key * 1000; }) != key * 1000) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  int made = 0;
  const auto make = [&] {
    ++made;
    return 5u;
  };
  CHECK(memo.get({77, 78}, make) == 5);
  CHECK(memo.get({77, 78}, make) == 5);
  CHECK(made == 1);
  memo.clear();
  CHECK(memo.get({77, 78}, make) == 5);
  CHECK(made == 2);
}

TEST_CASE("two keys of one slot of the cache of ids keep theirs") {
  static Memo<1, 2> memo;
  int made = 0;
  for (int round = 0; round < 3; ++round)
    for (std::uint64_t key = 1; key <= 2; ++key)
      CHECK(memo.get({key}, [&] { return static_cast<std::uint32_t>(++made); }) == key);
  CHECK(made == 2);
}
