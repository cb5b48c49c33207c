// What train_gpt is asked to train, and on how many processes.
#pragma once

#include <cstddef>

struct Options {
  int ranks = 1;
  int steps = 30;
  int layers = 8;
  int hidden = 1024;
  int heads = 16;
  int seq = 1024;
  int batch = 4;       // sequences per rank and micro-batch
  int accumulate = 1;  // micro-batches to a step
  int recompute = 0;   // 1: each layer's forward pass is done again for its backward pass
  int vocab = 8192;
  int checkpoint_ms = 50;  // pause in the middle of the run; 0 for none

  int head_dim() const { return hidden / heads; }
  int tokens() const { return seq * batch; }
};

// Exits with status 2 and the usage when an option is wrong.
Options parse_options(int argc, char** argv);
