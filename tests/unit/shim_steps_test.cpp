// Steps told by the order of collectives and graph launches: each job here is written as its steps,
// so that their number is known.
#include <catch2/catch.hpp>

#include "step_counter.hpp"

namespace {

using mfushim::shim::StepCounter;

enum Shape : std::uint32_t {
  kGather = 1,
  kScatter,
  kBucket,
  kLastBucket,
  kNorm,
  kActivations,
  kEval
};

void repeat(StepCounter& counter, Shape shape, int times) {
  for (int i = 0; i < times; ++i) counter.collective(shape);
}

// Shards gathered layer by layer, then again and their gradients scattered.
void sharded_pass(StepCounter& counter, int layers) {
  repeat(counter, kGather, layers);
  for (int i = 0; i < layers; ++i) {
    counter.collective(kGather);
    counter.collective(kScatter);
  }
}

void sharded_step(StepCounter& counter, int layers, int passes = 1) {
  for (int i = 0; i < passes; ++i) sharded_pass(counter, layers);
  counter.collective(kNorm);
}

void bucket_step(StepCounter& counter) {
  repeat(counter, kBucket, 4);
  counter.collective(kLastBucket);
}

}  // namespace

// A run of alike collectives is over when another begins: the last step may not be counted yet.
TEST_CASE("buckets of gradients make steps", "[steps]") {
  StepCounter counter;
  repeat(counter, kEval, 3);  // parameters from rank 0
  for (int step = 0; step < 100; ++step) bucket_step(counter);
  CHECK(counter.steps() == 99);
  bucket_step(counter);
  CHECK(counter.steps() == 100);
}

TEST_CASE("layers that repeat are no steps", "[steps]") {
  StepCounter counter;
  sharded_step(counter, 126);
  CHECK(counter.steps() == 0);
  for (int step = 1; step < 20; ++step) sharded_step(counter, 126);
  // The last step's last mark is still open.
  CHECK(counter.steps() == 19);
}

TEST_CASE("activations in tensor parallel groups are part of a step", "[steps]") {
  StepCounter counter;
  for (int step = 0; step < 20; ++step) {
    repeat(counter, kActivations, 2560);
    counter.collective(kNorm);
  }
  CHECK(counter.steps() == 19);
}

// Whether a pass or its eight make a step, the collectives alone do not tell: a line of the log in
// every eighth step has the same ones.
TEST_CASE("passes that gather and scatter count each", "[steps]") {
  StepCounter counter;
  for (int step = 0; step < 30; ++step) sharded_step(counter, 4, 8);
  counter.collective(kGather);
  CHECK(counter.steps() > 200);
  CHECK(counter.steps() <= 240);
}

TEST_CASE("an evaluation between steps is none, and loses none", "[steps]") {
  StepCounter counter;
  for (int step = 0; step < 1000; ++step) {
    bucket_step(counter);
    if (step % 100 == 99) {
      repeat(counter, kGather, 7);
      counter.collective(kEval);
    }
  }
  CHECK(counter.steps() == 1000);
}

TEST_CASE("steps of another kind go on being counted", "[steps]") {
  StepCounter counter;
  for (int step = 0; step < 100; ++step) bucket_step(counter);
  for (int step = 0; step < 100; ++step) sharded_step(counter, 3);
  // The last of each kind has no end yet that tells.
  CHECK(counter.steps() >= 198);
  CHECK(counter.steps() <= 200);
}

TEST_CASE("a graph launched again and again is a step each time", "[steps]") {
  StepCounter counter;
  for (int step = 0; step < 50; ++step) counter.graph_launch(7);
  CHECK(counter.steps() == 50);
}

TEST_CASE("graphs launched in turn make a step together", "[steps]") {
  StepCounter counter;
  for (int step = 0; step < 50; ++step) {
    counter.graph_launch(7);
    counter.collective(kBucket);
    counter.graph_launch(9);
  }
  CHECK(counter.steps() == 50);
}

TEST_CASE("no steps where nothing repeats", "[steps]") {
  StepCounter counter;
  for (std::uint32_t i = 0; i < 40'000; ++i) counter.graph_launch(i);
  CHECK(counter.steps() == 0);
  StepCounter uniform;
  repeat(uniform, static_cast<Shape>(1), 5000);
  CHECK(uniform.steps() == 0);
}

// More marks than are kept.
TEST_CASE("steps are counted for days", "[steps]") {
  StepCounter counter;
  for (int step = 0; step < 100'000; ++step) bucket_step(counter);
  CHECK(counter.steps() == 99'999);
}

TEST_CASE("ranks that see the same marks count the same", "[steps]") {
  StepCounter one, other;
  for (int step = 0; step < 200; ++step) {
    for (StepCounter* counter : {&one, &other}) sharded_step(*counter, 5, 2);
    CHECK(one.steps() == other.steps());
  }
  CHECK(one.steps() == 199);
}
