// Steps told by collectives and graph launches: each job here is written as its steps, so that
// their number is known.
#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <vector>

#include "step_counter.hpp"

namespace {

using mfushim::shim::StepCounter;

enum Kind : std::uint32_t {
  kGather = 1,
  kScatter,
  kRootGather,
  kRootScatter,
  kExperts,
  kExpertsScatter,
  kNorm,
  kLoss,
  kEval,
  kEvalSum,
  kActivations,
  kBuckets = 100  // and those after it
};

using Step = std::vector<std::uint32_t>;

Step buckets(std::uint32_t count) {
  Step step;
  for (std::uint32_t i = 0; i < count; ++i) step.push_back(kBuckets + i);
  return step;
}

// FSDP: the root's parameters and each layer's are gathered, again in the backward pass, where
// gradients are scattered; then the norm.
Step sharded(int layers, int passes = 1) {
  Step step;
  for (int pass = 0; pass < passes; ++pass) {
    step.push_back(kRootGather);
    step.insert(step.end(), static_cast<std::size_t>(layers), kGather);
    for (int i = 0; i < layers; ++i) step.insert(step.end(), {kGather, kScatter});
    step.push_back(kRootScatter);
  }
  step.push_back(kNorm);
  return step;
}

// Megatron: activations gathered and scattered in each layer of each micro-batch, then gradients.
Step sequence_parallel(int layers, int micro_batches) {
  Step step;
  for (int i = 0; i < 4 * layers * micro_batches; ++i) step.insert(step.end(), {kGather, kScatter});
  for (std::uint32_t kind : buckets(6)) step.push_back(kind);
  step.push_back(kNorm);
  return step;
}

void run(StepCounter& counter, const Step& step, int times = 1) {
  for (int i = 0; i < times; ++i)
    for (std::uint32_t kind : step) counter.collective(kind);
}

std::uint64_t steps_of(const Step& step, int times) {
  StepCounter counter;
  run(counter, step, times);
  return counter.steps();
}

}  // namespace

// A step is complete somewhere before its end: what tells it may be its first call or its last.
TEST_CASE("buckets of gradients make steps", "[steps]") {
  for (std::uint32_t count : {2u, 5u, 40u}) CHECK(steps_of(buckets(count), 1000) == 1000);
}

TEST_CASE("layers are no steps", "[steps]") {
  CHECK(steps_of(sharded(32), 1000) == 1000);
  CHECK(steps_of(sharded(126), 1000) == 1000);
  CHECK(steps_of(sequence_parallel(32, 1), 1000) == 1000);
  CHECK(steps_of(sequence_parallel(80, 8), 200) == 200);
  Step tensor_parallel(2560, kActivations);
  tensor_parallel.push_back(kNorm);
  CHECK(steps_of(tensor_parallel, 1000) == 1000);
  // Two groups of parameters in each layer.
  Step experts{kRootGather};
  for (int i = 0; i < 32; ++i) experts.insert(experts.end(), {kGather, kExperts});
  for (int i = 0; i < 32; ++i)
    experts.insert(experts.end(), {kGather, kExperts, kScatter, kExpertsScatter});
  experts.insert(experts.end(), {kRootScatter, kNorm, kLoss});
  CHECK(steps_of(experts, 1000) == 1000);
}

// Whether a pass or its eight make a step, the collectives alone do not tell.
TEST_CASE("passes that gather and scatter count each", "[steps]") {
  CHECK(steps_of(sharded(4, 8), 100) == 800);
}

TEST_CASE("a line of the log now and then is no step", "[steps]") {
  for (int rhythm : {2, 3, 5, 10, 50}) {
    StepCounter counter;
    for (int step = 0; step < 1000; ++step) {
      run(counter, buckets(5));
      counter.collective(kNorm);
      if (step % rhythm == rhythm - 1) counter.collective(kNorm);  // of the same size
      if (step % rhythm == 0) counter.collective(kLoss);
    }
    CHECK(counter.steps() == 1000);
  }
}

TEST_CASE("an evaluation between steps is none, and loses none", "[steps]") {
  StepCounter counter;
  for (int step = 0; step < 1000; ++step) {
    run(counter, buckets(5));
    if (step % 100 == 99) run(counter, {kEval, kEvalSum}, 50);
  }
  CHECK(counter.steps() == 1000);
}

// Until the new kinds have taken over, none is counted.
TEST_CASE("steps of another kind go on being counted", "[steps]") {
  StepCounter counter;
  run(counter, buckets(5), 1000);
  run(counter, sharded(3), 1000);
  CHECK(counter.steps() > 1000 + 600);
  CHECK(counter.steps() <= 2000);
}

TEST_CASE("graphs launched again and again make steps", "[steps]") {
  StepCounter one, three;
  for (int step = 0; step < 50; ++step) {
    one.graph_launch(7);
    for (std::uint32_t graph : {7, 8, 9}) three.graph_launch(graph);
    three.collective(kNorm);
  }
  CHECK(one.steps() == 50);
  CHECK(three.steps() == 50);
}

TEST_CASE("no steps where nothing tells them", "[steps]") {
  StepCounter counter;
  for (std::uint32_t i = 1; i < 40'000; ++i) counter.graph_launch(i);
  CHECK(counter.steps() == 0);
  CHECK(steps_of({kGather}, 5000) == 0);
}

TEST_CASE("steps are told from the eighth on", "[steps]") {
  StepCounter counter;
  run(counter, buckets(5), 7);
  CHECK(counter.steps() == 0);
  run(counter, buckets(5), 9);
  CHECK(counter.steps() == 16);
}

// Each rank has its own order of what two threads do.
TEST_CASE("ranks whose threads race count the same", "[steps]") {
  StepCounter one, other;
  std::mt19937 random(7);
  for (int step = 0; step < 2000; ++step) {
    Step calls = sharded(5);
    for (StepCounter* counter : {&one, &other}) {
      std::shuffle(calls.begin(), calls.end(), random);
      run(*counter, calls);
    }
  }
  CHECK(one.steps() == 2000);
  CHECK(other.steps() == 2000);
}
