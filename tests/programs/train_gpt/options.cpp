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
    {"--tensor-parallel", &Options::tensor_parallel, 1},
    {"--steps", &Options::steps, 1},
    {"--layers", &Options::layers, 1},
    {"--hidden", &Options::hidden, 8},
    {"--heads", &Options::heads, 1},
    {"--seq", &Options::seq, 8},
    {"--batch", &Options::batch, 1},
    {"--accumulate", &Options::accumulate, 1},
    {"--recompute", &Options::recompute, 0},
    {"--vocab", &Options::vocab, 8},
    {"--pause-ms", &Options::pause_ms, 0},
    {"--checkpoint-ms", &Options::checkpoint_ms, 0},
};

struct PrecisionName {
  const char* name;
  Precision precision;
};

constexpr PrecisionName kPrecisions[] = {{"bf16", Precision::kBf16},
                                         {"fp8", Precision::kFp8},
                                         {"fp32", Precision::kFp32},
                                         {"tf32", Precision::kTf32}};

[[noreturn]] void usage(const char* what) {
  std::fprintf(stderr, "train_gpt: %s\nusage: train_gpt", what);
  const Options defaults;
  for (const Row& row : kRows) std::fprintf(stderr, " [%s %d]", row.name, defaults.*row.field);
  std::fprintf(stderr, " [--dtype");
  for (const PrecisionName& row : kPrecisions)
    std::fprintf(stderr, "%c%s", &row == kPrecisions ? ' ' : '|', row.name);
  std::fprintf(stderr, "]\n");
  std::exit(2);
}

Precision precision_named(const char* name) {
  for (const PrecisionName& row : kPrecisions)
    if (std::strcmp(name, row.name) == 0) return row.precision;
  usage("--dtype");
}

int number_at_least(int minimum, const char* option, const char* text) {
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (*end != '\0' || value < minimum || value > 1 << 20) usage(option);
  return static_cast<int>(value);
}

void check(const Options& options) {
  const int shares = options.tensor_parallel;
  if (options.hidden % options.heads != 0 || options.hidden % 8 != 0)
    usage("--hidden must be a multiple of --heads and of 8");
  if (options.ranks % shares != 0 || options.heads % shares != 0 || options.vocab % shares != 0)
    usage("--ranks, --heads and --vocab must be multiples of --tensor-parallel");
  // cuBLASLt takes 8-bit matrices whose rows are multiples of 16 bytes.
  if (options.precision == Precision::kFp8 &&
      (options.local_hidden() % 16 != 0 || options.tokens() % 16 != 0))
    usage("--dtype fp8 needs 16 values a row");
}

}  // namespace

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) usage(argv[i]);
    if (std::strcmp(argv[i], "--dtype") == 0) {
      options.precision = precision_named(argv[i + 1]);
      continue;
    }
    const Row* found = nullptr;
    for (const Row& row : kRows)
      if (std::strcmp(argv[i], row.name) == 0) found = &row;
    if (found == nullptr) usage(argv[i]);
    options.*(found->field) = number_at_least(found->minimum, argv[i], argv[i + 1]);
  }
  check(options);
  return options;
}
