// Reads train_gpt's command line.
#include "options.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct Row {
  const char* name;
  int Options::*field;
  int minimum;
};

constexpr Row kRows[] = {
    {"--ranks", &Options::ranks, 1},
    {"--steps", &Options::steps, 1},
    {"--layers", &Options::layers, 1},
    {"--hidden", &Options::hidden, 8},
    {"--heads", &Options::heads, 1},
    {"--seq", &Options::seq, 8},
    {"--batch", &Options::batch, 1},
    {"--accumulate", &Options::accumulate, 1},
    {"--recompute", &Options::recompute, 0},
    {"--vocab", &Options::vocab, 8},
    {"--checkpoint-ms", &Options::checkpoint_ms, 0},
};

[[noreturn]] void usage(const char* what) {
  std::fprintf(stderr, "train_gpt: %s\nusage: train_gpt", what);
  const Options defaults;
  for (const Row& row : kRows) std::fprintf(stderr, " [%s %d]", row.name, defaults.*row.field);
  std::fprintf(stderr, "\n");
  std::exit(2);
}

}  // namespace

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const Row* found = nullptr;
    for (const Row& row : kRows) {
      if (std::strcmp(argv[i], row.name) == 0) found = &row;
    }
    if (found == nullptr || i + 1 == argc) usage(argv[i]);
    char* end = nullptr;
    const long value = std::strtol(argv[i + 1], &end, 10);
    if (*end != '\0' || value < found->minimum || value > 1 << 20) usage(argv[i]);
    options.*(found->field) = static_cast<int>(value);
  }
  if (options.hidden % options.heads != 0 || options.hidden % 8 != 0) {
    usage("--hidden must be a multiple of --heads and of 8");
  }
  return options;
}
