// What train_gpt is asked to train, and on how many processes.
#pragma once

#include <cstddef>

// What weights and activations are, and what matrix products multiply.
enum class Precision {
  kBf16,
  kFp8,   // bf16, but the layers' linear products multiply 8-bit copies with scales
  kFp32,  // single precision on CUDA cores
  kTf32,  // single precision, rounded in products to what tensor cores take
};

struct Options {
  int ranks = 1;
  int tensor_parallel = 1;  // ranks that share each layer's weights; they see the same batch
  int steps = 30;
  int layers = 8;
  int hidden = 1024;
  int heads = 16;
  int seq = 1024;
  int batch = 4;       // sequences per replica and micro-batch
  int accumulate = 1;  // micro-batches to a step
  int recompute = 0;   // 1: each layer's forward pass is done again for its backward pass
  int vocab = 8192;
  int pause_ms = 0;        // after each step
  int checkpoint_ms = 50;  // pause in the middle of the run; 0 for none
  Precision precision = Precision::kBf16;

  int head_dim() const { return hidden / heads; }
  int tokens() const { return seq * batch; }
  // Of one rank.
  int local_heads() const { return heads / tensor_parallel; }
  int local_hidden() const { return hidden / tensor_parallel; }
  int local_vocab() const { return vocab / tensor_parallel; }
};

// Exits with status 2 and the usage when an option is wrong.
Options parse_options(int argc, char** argv);
