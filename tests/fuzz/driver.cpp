// Stands in for libFuzzer where the compiler has none: runs the files of a corpus and a given
// number of their mutations, the same ones each time.
//
//   fuzz_x CORPUS MUTATIONS [ONLY]     ONLY: the number of the one input to run
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "input.hpp"

extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));

namespace {

using Input = std::vector<std::uint8_t>;

unsigned long g_input = 0;  // the number of the present one, for whoever must repeat it

void tell_input() {
  std::fprintf(stderr, "at input %lu\n", g_input);
}

void on_abort(int) {
  tell_input();
  std::signal(SIGABRT, SIG_DFL);
  std::raise(SIGABRT);
}

std::vector<Input> read_corpus(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry);
  std::sort(paths.begin(), paths.end());
  std::vector<Input> corpus;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return corpus;
}

class Mutator {
 public:
  Mutator(const std::vector<Input>& corpus, unsigned long seed) : corpus_(corpus), random_(seed) {}

  Input make() {
    Input input = corpus_[below(corpus_.size())];
    for (std::size_t changes = 1 + below(4); changes != 0; --changes) change(input);
    return input;
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  void change(Input& input) {
    const std::size_t at = below(input.size());
    const auto here = input.begin() + static_cast<std::ptrdiff_t>(at);
    const std::size_t rest = input.size() - at;
    switch (below(8)) {
      case 0:
        if (rest) input[at] ^= static_cast<std::uint8_t>(1u << below(8));
        return;
      case 1:
        if (rest) input[at] = kOdd[below(std::size(kOdd))];
        return;
      case 2:
        input.resize(at);
        return;
      case 3:
        input.erase(here,
                    here + static_cast<std::ptrdiff_t>(below(std::min<std::size_t>(rest, 64) + 1)));
        return;
      case 4:
        return insert(input, at, piece(input, 64));
      case 5:
        return insert(input, at, piece(corpus_[below(corpus_.size())], 256));
      case 6: {
        const std::string number = kNumbers[below(std::size(kNumbers))];
        return insert(input, at, Input(number.begin(), number.end()));
      }
      default:
        for (std::size_t i = at; i < std::min(at + 8, input.size()); ++i)
          input[i] = static_cast<std::uint8_t>(random_());
    }
  }

  Input piece(const Input& from, std::size_t longest) {
    const std::size_t at = below(from.size());
    const std::size_t n = std::min(below(longest) + 1, from.size() - at);
    return Input(from.begin() + static_cast<std::ptrdiff_t>(at),
                 from.begin() + static_cast<std::ptrdiff_t>(at + n));
  }

  static void insert(Input& input, std::size_t at, const Input& what) {
    input.insert(input.begin() + static_cast<std::ptrdiff_t>(at), what.begin(), what.end());
  }

  static constexpr std::uint8_t kOdd[] = {0,   1,   0x7f, 0x80, 0xff, '"',  '\\',
                                          '{', '}', '[',  ']',  ',',  '\n', '-'};
  static constexpr const char* kNumbers[] = {"0",
                                             "-1",
                                             "18446744073709551615",
                                             "9223372036854775807",
                                             "-9223372036854775808",
                                             "4294967296",
                                             "1e308",
                                             "NaN",
                                             "0.0000001"};

  const std::vector<Input>& corpus_;
  std::mt19937_64 random_;
};

void run(unsigned long number, const Input& input) {
  g_input = number;
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fputs("usage: CORPUS MUTATIONS [ONLY]\n", stderr), 2;
  std::signal(SIGABRT, on_abort);
  if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(tell_input);
  const auto corpus = read_corpus(argv[1]);
  const unsigned long mutations = std::strtoul(argv[2], nullptr, 10);
  if (corpus.empty()) return std::fprintf(stderr, "%s: is empty\n", argv[1]), 1;
  const unsigned long total = corpus.size() + mutations;
  const unsigned long first = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 0;
  const unsigned long last = argc > 3 ? first + 1 : total;
  for (unsigned long i = first; i < last; ++i)
    run(i, i < corpus.size() ? corpus[i] : Mutator(corpus, i).make());
  std::printf("%lu inputs: %zu kept, the rest mutated\n", last - first, corpus.size());
  return 0;
}
