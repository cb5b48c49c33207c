// Which of a process's steps the inference looks at, by steps that differ.
#include <catch2/catch.hpp>

#include <memory>

#include "passes/inference.hpp"

namespace mfushim::passes {
namespace {

constexpr Flops kOneProduct = 2 * 512 * 64 * 256;

// A weight of 64 by 256 on 512 rows: "f" forward, "x" its input's gradient, "w" its own.
format::GemmShape only_weight(char role) {
  format::GemmShape shape;
  shape.m = role == 'x' ? 64 : role == 'f' ? 256 : 64;
  shape.n = role == 'w' ? 256 : 512;
  shape.k = role == 'x' ? 256 : role == 'f' ? 64 : 512;
  shape.trans_a = role == 'f' ? format::Transpose::kTranspose : format::Transpose::kNone;
  shape.trans_b = role == 'w' ? format::Transpose::kTranspose : format::Transpose::kNone;
  return shape;
}

// Of steps with these products.
Inference inference_of(const std::vector<std::string>& products) {
  auto process = std::make_unique<model::Process>();
  for (const char role : {'f', 'x', 'w'})
    process->shapes.set(static_cast<std::uint32_t>(role), only_weight(role));
  StepResult steps;
  steps.spans.emplace_back();
  std::int64_t now = 0;
  for (const std::string& step : products) {
    const std::int64_t start = now;
    for (const char role : step) {
      model::HostCall call;
      call.kind = model::CallKind::kGemm;
      call.subject = static_cast<std::uint32_t>(role);
      call.number = 1;
      call.start = now++;
      call.end = now++;
      process->calls.push_back(call);
    }
    steps.spans[0].push_back({start, now});
  }
  steps.list.resize(products.size());
  model::Run run;
  run.processes.push_back(std::move(process));
  return *find_inference(run, steps);
}

}  // namespace

TEST_CASE("a first step that lost a product to what precedes it is no measure") {
  const Inference found = inference_of({"xwfxw", "fxwfxw", "fxwfxw"});
  CHECK(found.steps == 2);
  CHECK(found.executed == 2 * 6 * kOneProduct);
  CHECK(found.micro_batches == 2);
}

TEST_CASE("where steps differ as a rule all are looked at") {
  const Inference found = inference_of({"fxwfxw", "fxw", "fxwfxwfxw", "fxw"});
  CHECK(found.steps == 4);
  CHECK(found.executed == (6 + 3 + 9 + 3) * kOneProduct);
}

}  // namespace mfushim::passes
