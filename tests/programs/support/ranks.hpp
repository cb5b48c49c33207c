// Several processes as one job: starts them, or joins those that torchrun or mpirun started, and
// hands them a common NCCL id through a file.
#pragma once

#include <nccl.h>

#include <string>

struct Rank {
  int index = 0;
  int world = 1;
  int local = 0;  // on this host: which GPU to take
};

// In a process that was started as a rank: its place. Otherwise, with world > 1: starts this
// program again once per rank, waits for all of them and exits with the worst status.
Rank join_or_start_ranks(int world, char** argv);

// The communicator of all ranks, on the current device.
ncclComm_t join_communicator(const Rank& rank);
