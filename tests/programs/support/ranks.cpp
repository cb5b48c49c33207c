// See ranks.hpp. Rank 0 writes its id to a file that the other ranks wait for; all are on one host,
// or share the folder for temporary files.
#include "ranks.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "check.hpp"

namespace {

int number_from(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : otherwise;
}

void set(const char* name, const std::string& value) {
  setenv(name, value.c_str(), 1);
}

// Ranks of one job have the same parent and port; two jobs at once do not.
std::string id_file() {
  if (const char* given = std::getenv("RANKS_ID_FILE")) return given;
  const char* port = std::getenv("MASTER_PORT");
  return std::filesystem::temp_directory_path() /
         ("nccl-id-" + std::to_string(getppid()) + "-" + (port != nullptr ? port : "0"));
}

[[noreturn]] void start_ranks(int world, char** argv) {
  const std::string file =
      std::filesystem::temp_directory_path() / ("nccl-id-of-" + std::to_string(getpid()));
  std::vector<pid_t> children;
  for (int rank = 0; rank < world; ++rank) {
    const pid_t child = fork();
    if (child == 0) {
      set("RANK", std::to_string(rank));
      set("LOCAL_RANK", std::to_string(rank));
      set("WORLD_SIZE", std::to_string(world));
      set("RANKS_ID_FILE", file);
      execv("/proc/self/exe", argv);
      std::perror("execv");
      _exit(127);
    }
    children.push_back(child);
  }
  int worst = 0;
  for (const pid_t child : children) {
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) worst = 1;
    worst = std::max(worst, WIFEXITED(status) ? WEXITSTATUS(status) : 1);
  }
  std::filesystem::remove(file);  // where rank 0 did not come to it
  std::exit(worst);
}

// The id that rank 0 makes, on every rank.
ncclUniqueId common_id(const Rank& rank, const std::string& file) {
  ncclUniqueId id{};
  if (rank.index == 0) {
    CHECK_NCCL(ncclGetUniqueId(&id));
    const std::string unfinished = file + ".part";
    std::ofstream(unfinished, std::ios::binary).write(id.internal, sizeof id.internal);
    std::filesystem::rename(unfinished, file);
    return id;
  }
  for (int waited_ms = 0; waited_ms < 120000; waited_ms += 5) {
    std::ifstream in(file, std::ios::binary);
    if (in.read(id.internal, sizeof id.internal)) return id;
    usleep(5000);
  }
  fail("common_id", "rank 0 wrote no id within two minutes", __FILE__, __LINE__);
}

}  // namespace

Rank join_or_start_ranks(int world, char** argv) {
  if (std::getenv("RANK") != nullptr && std::getenv("WORLD_SIZE") != nullptr) {
    const int rank = number_from("RANK", 0);
    return {rank, number_from("WORLD_SIZE", 1), number_from("LOCAL_RANK", rank)};
  }
  if (world > 1) start_ranks(world, argv);
  return {};
}

ncclComm_t join_communicator(const Rank& rank) {
  const std::string file = id_file();
  ncclComm_t communicator = nullptr;
  CHECK_NCCL(ncclCommInitRank(&communicator, rank.world, common_id(rank, file), rank.index));
  if (rank.index == 0) std::filesystem::remove(file);  // all have read it: the call is collective
  return communicator;
}
