// Steps found in streams of work whose steps are known, because they were put there.
#include <catch2/catch.hpp>

#include <cmath>
#include <random>

#include "passes/step_period.hpp"
#include "passes/step_stream.hpp"

namespace mfushim::passes {
namespace {

// A program's work, and where its steps begin and end.
class Program {
 public:
  Program() {
    stream_.kinds = {TokenKind::kOptimizer, TokenKind::kCopy, TokenKind::kInput,
                     TokenKind::kCollective, TokenKind::kGraph};
    stream_.kinds.resize(kSymbols, TokenKind::kKernel);
  }

  static constexpr std::uint32_t kUpdate = 0, kCopied = 1, kLoaded = 2, kReduced = 3, kGraph = 4,
                                 kEvaluated = 50, kLogged = 51, kPlainUpdate = 52, kSymbols = 60;

  void work(std::uint32_t symbol, std::int64_t gap_ns = 1'000, std::uint32_t weight = 1) {
    stream_.tokens.push_back(
        {symbol, weight, static_cast<std::uint32_t>(stream_.tokens.size()), gap_ns});
  }
  void work(std::initializer_list<std::uint32_t> symbols) {
    for (const std::uint32_t symbol : symbols) work(symbol);
  }

  // Layers of equal work, there and back.
  void forward_and_backward(int layers = 6) {
    work(10);
    for (int i = 0; i < layers; ++i) work({11, 12, 11, 13});
    work({14, 15});
    for (int i = 0; i < layers; ++i) work({13, 16, 12, 17, 12});
    work(18);
  }

  template <class Body>
  void step(Body body) {
    const std::size_t first = stream_.tokens.size();
    body();
    steps_.push_back({first, stream_.tokens.size(), 1, false});
  }

  const TokenStream& stream() const { return stream_; }

  // Checks that the steps found are those from `from` on, within 5 % of a step and one token.
  void check(std::size_t from = 0) const {
    const auto period = find_period(stream_);
    REQUIRE(period);
    std::vector<Segment> found;
    for (const Segment& segment : period->segments)
      if (segment.likeness >= kAlike) found.push_back(segment);
    REQUIRE(found.size() == steps_.size() - from);
    for (std::size_t i = 0; i < found.size(); ++i) {
      INFO("step " << i);
      const Segment& step = steps_[from + i];
      const double allowed = 0.05 * static_cast<double>(step.last - step.first) + 1;
      CHECK(std::abs(static_cast<double>(found[i].first) - static_cast<double>(step.first)) <=
            allowed);
      CHECK(std::abs(static_cast<double>(found[i].last) - static_cast<double>(step.last)) <=
            allowed);
    }
  }

 private:
  TokenStream stream_;
  std::vector<Segment> steps_;
};

using P = Program;

void plain_step(Program& program, int micro_batches = 1) {
  program.step([&] {
    program.work(P::kLoaded, 500'000);
    for (int i = 0; i < micro_batches; ++i) program.forward_and_backward();
    program.work({P::kReduced, P::kUpdate, 19, P::kUpdate});
  });
}

}  // namespace

TEST_CASE("an optimizer's kernels end steps", "[analyzer]") {
  for (const int micro_batches : {1, 4, 8}) {
    Program program;
    program.work({20, 21, 22});
    for (int i = 0; i < 12; ++i) plain_step(program, micro_batches);
    program.check();
  }
}

TEST_CASE("evaluations, checkpoints and first steps do not move boundaries", "[analyzer]") {
  Program program;
  for (int i = 0; i < 40; ++i) program.work({20, 21});  // tuning, say
  for (int i = 0; i < 20; ++i) {
    plain_step(program);
    if (i % 5 == 4)
      for (int j = 0; j < 30; ++j) program.work({10, 11, 12, 11, 13, P::kEvaluated});
    if (i == 11)
      for (int j = 0; j < 50; ++j) program.work(P::kCopied);
  }
  program.check();
}

TEST_CASE("steps with two optimizers are one", "[analyzer]") {
  Program program;
  for (int i = 0; i < 15; ++i)
    program.step([&] {
      program.work(P::kLoaded, 500'000);
      program.forward_and_backward(3);
      program.work(P::kUpdate);
      for (int j = 0; j < 20; ++j) program.work({30, 31, 32});
      program.work(P::kUpdate);
    });
  program.check();
}

TEST_CASE("without optimizer the pause before a step's input begins it", "[analyzer]") {
  Program program;
  for (int i = 0; i < 30; ++i)
    program.step([&] {
      program.work(P::kLoaded, 500'000);
      program.forward_and_backward();
      program.work(P::kPlainUpdate);
      if (i % 10 == 9) program.work(P::kCopied);
    });
  program.check();
}

// In a job of two steps the machine may have paused at one place in both.
TEST_CASE("two pauses do not move two steps", "[analyzer]") {
  Program program;
  for (int i = 0; i < 2; ++i)
    program.step([&] {
      program.work(P::kLoaded, 500'000);
      program.work({23, 24, 25, 26, 27, 28, 29, 30, 31});
      program.work(32, 50'000'000);
      program.forward_and_backward();
      program.work(P::kPlainUpdate);
    });
  program.check();
}

TEST_CASE("the graph that holds most of the work outweighs eager first steps", "[analyzer]") {
  Program program;
  for (int i = 0; i < 3; ++i) plain_step(program);
  for (int i = 0; i < 20; ++i)
    program.step([&] {
      program.work(P::kLoaded, 500'000);
      program.work(P::kGraph, 1'000, 60);
    });
  program.check(3);
}

TEST_CASE("a pass through equal layers is a step, a layer is none", "[analyzer]") {
  Program program;
  for (int i = 0; i < 12; ++i)
    program.step([&] {
      program.work(P::kLoaded, 500'000);
      program.work({10, 11});
      for (int j = 0; j < 32; ++j) program.work({12, 13, 12, 14, 15});
      program.work({16, 17});
    });
  program.check();
}

TEST_CASE("micro-batches of varying number belong to their update", "[analyzer]") {
  Program program;
  std::mt19937 random(3);
  for (int i = 0; i < 30; ++i) plain_step(program, 7 + static_cast<int>(random() % 3));
  const auto period = find_period(program.stream());
  REQUIRE(period);
  CHECK(period->segments.size() == 30);
}

TEST_CASE("work that never repeats has no steps", "[analyzer]") {
  Program program;
  for (std::uint32_t i = 5; i < 45; ++i) program.work(i);
  CHECK_FALSE(find_period(program.stream()));
  CHECK_FALSE(find_period(TokenStream{}));
}

TEST_CASE("kernels without names are no evidence for steps", "[analyzer]") {
  model::Process process;
  for (int i = 0; i < 100; ++i)
    for (const model::CallKind kind : {model::CallKind::kCopy, model::CallKind::kLaunch,
                                       model::CallKind::kLaunch, model::CallKind::kCollective}) {
      model::HostCall call;
      call.kind = kind;
      call.start = 10 * static_cast<std::int64_t>(process.calls.size());
      call.end = call.start + 5;
      call.subject = kind == model::CallKind::kCopy ? 0 : 1;
      process.calls.push_back(call);
    }
  CHECK(make_token_stream(process).tokens.empty());

  // With the names of half of the kernels those and the copies speak.
  format::LaunchConfig config;
  config.kernel = 7;
  process.configs.set(1, config);
  process.kernel_names.set(7, {"scale", {}});
  for (std::size_t i = 2; i < process.calls.size(); i += 4) process.calls[i].subject = 2;
  CHECK(make_token_stream(process).tokens.size() == 200);
}

}  // namespace mfushim::passes
