// What is known of cuDNN's plans: through the whole chain of descriptors, after their end, and when
// there is no room for more.
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <vector>

#include "cudnn_attributes.hpp"
#include "cudnn_plans.hpp"
#include "recorder.hpp"

namespace {

using namespace mfushim::shim;
using mfushim::format::OperationKind;
using mfushim::format::OperationShape;

void begin() {
  setenv("MFUSHIM_OUT", MFUSHIM_TEST_LOGS, 1);
  setenv("MFUSHIM_GPU_TIME", "off", 1);
  start();
  REQUIRE(recording());
}

// A handle as the library would give it out, ended with its scope.
class Handle {
 public:
  explicit Handle(int type, std::uintptr_t value = next()) : value_(value) {
    cudnn_descriptor_made(get(), type);
  }
  ~Handle() { cudnn_descriptor_ends(get()); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  const void* get() const { return reinterpret_cast<const void*>(value_); }
  void set(int name, std::initializer_list<const Handle*> others) const {
    std::vector<const void*> handles;
    for (const Handle* other : others) handles.push_back(other->get());
    cudnn_attribute_set(get(), name, cudnn::kDescriptor, static_cast<std::int64_t>(handles.size()),
                        handles.data());
  }
  void set_dims(std::vector<std::int64_t> dims) const {
    cudnn_attribute_set(get(), cudnn::kTensorDims, cudnn::kInt64,
                        static_cast<std::int64_t>(dims.size()), dims.data());
    const int half = 2;  // CUDNN_DATA_HALF
    cudnn_attribute_set(get(), cudnn::kTensorType, cudnn::kDataType, 1, &half);
  }

 private:
  static std::uintptr_t next() {
    static std::uintptr_t last = 0x10000;
    return last += 16;
  }
  std::uintptr_t value_;
};

OperationShape product_shape() {
  OperationShape shape;
  shape.operation = OperationKind::kMatmul;
  shape.dtype = mfushim::format::DType::kF16;
  shape.batch = 2;
  shape.m = 16;
  shape.n = 24;
  shape.k = 8;
  return shape;
}

struct Product {
  Handle a{cudnn::kTensor}, b{cudnn::kTensor}, c{cudnn::kTensor}, operation{cudnn::kMatmul};
  explicit Product(std::int64_t m = 16, std::int64_t n = 24, std::int64_t k = 8) {
    a.set_dims({2, m, k});
    b.set_dims({2, k, n});
    c.set_dims({2, m, n});
    operation.set(cudnn::kMatmulA, {&a});
    operation.set(cudnn::kMatmulB, {&b});
    operation.set(cudnn::kMatmulC, {&c});
  }
};

// CUDNN_ATTR_... of no interest but for the descriptor that is set by them.
constexpr int kHeuristicGraph = 201, kPlanConfiguration = 401, kPlanText = 405, kEngineGraph = 1300,
              kConfigurationEngine = 300;

}  // namespace

TEST_CASE("a plan of the heuristic's has the work of its graph, which may be gone") {
  begin();
  Handle plan(cudnn::kExecutionPlan);
  {
    const Product product;
    Handle other(cudnn::kPointwise), graph(cudnn::kOperationGraph),
        heuristic(cudnn::kEngineHeuristic), configuration(cudnn::kEngineConfiguration);
    graph.set(cudnn::kGraphOperations, {&product.operation, &other, &product.operation});
    heuristic.set(kHeuristicGraph, {&graph});
    const void* given[] = {configuration.get()};
    cudnn_descriptors_given(heuristic.get(), given, 1);
    plan.set(kPlanConfiguration, {&configuration});
  }
  CHECK(cudnn_plan_part(plan.get(), nullptr, 0) == operation_id(product_shape()));
  CHECK(cudnn_plan_part(plan.get(), nullptr, 1) == operation_id(product_shape()));
  CHECK(cudnn_plan_part(plan.get(), nullptr, 2) == 0);
}

TEST_CASE("five products of one graph that are attention's backward pass") {
  begin();
  constexpr std::int64_t kQueries = 48, kKeys = 80, kHead = 16, kValueHead = 32;
  const Product scores(kQueries, kKeys, kHead), of_values(kKeys, kValueHead, kQueries),
      of_weights(kQueries, kKeys, kValueHead), of_queries(kQueries, kHead, kKeys),
      of_keys(kKeys, kHead, kQueries), unrelated;
  OperationShape attention = product_shape();
  attention.operation = OperationKind::kAttentionBackward;
  attention.m = kQueries;
  attention.n = kKeys;
  attention.k = kHead;
  attention.l = kValueHead;
  for (const Product* last : {&of_keys, &unrelated}) {
    Handle other(cudnn::kPointwise), graph(cudnn::kOperationGraph), plan(cudnn::kExecutionPlan);
    graph.set(cudnn::kGraphOperations,
              {&scores.operation, &other, &of_values.operation, &of_weights.operation,
               &of_queries.operation, &last->operation});
    plan.set(kHeuristicGraph, {&graph});
    const bool attends = last == &of_keys;
    CHECK((cudnn_plan_part(plan.get(), nullptr, 0) == operation_id(attention)) == attends);
    CHECK((cudnn_plan_part(plan.get(), nullptr, 1) == 0) == attends);
  }
}

TEST_CASE("a plan by an engine of the program's own") {
  begin();
  const Product product;
  Handle graph(cudnn::kOperationGraph), engine(cudnn::kEngine),
      configuration(cudnn::kEngineConfiguration), plan(cudnn::kExecutionPlan);
  graph.set(cudnn::kGraphOperations, {&product.operation});
  engine.set(kEngineGraph, {&graph});
  configuration.set(kConfigurationEngine, {&engine});
  plan.set(kPlanConfiguration, {&configuration});
  CHECK(cudnn_plan_part(plan.get(), nullptr, 0) == operation_id(product_shape()));
}

TEST_CASE("what is not known is said to be unknown") {
  begin();
  const std::uint32_t unknown = operation_id({});
  Handle never_set(cudnn::kExecutionPlan), from_text(cudnn::kExecutionPlan);
  const char text[] = "{}";
  cudnn_attribute_set(from_text.get(), kPlanText, 24, sizeof text, text);
  CHECK(cudnn_plan_part(never_set.get(), nullptr, 0) == unknown);
  CHECK(cudnn_plan_part(from_text.get(), nullptr, 0) == unknown);
  CHECK(cudnn_plan_part(nullptr, nullptr, 0) == unknown);

  // A handle that is given out again is another descriptor.
  constexpr std::uintptr_t kValue = 0x7770;
  const Product product;
  Handle graph(cudnn::kOperationGraph);
  graph.set(cudnn::kGraphOperations, {&product.operation});
  {
    Handle plan(cudnn::kExecutionPlan, kValue);
    plan.set(kPlanConfiguration, {&graph});
    CHECK(cudnn_plan_part(plan.get(), nullptr, 0) == operation_id(product_shape()));
  }
  Handle again(cudnn::kExecutionPlan, kValue);
  CHECK(cudnn_plan_part(again.get(), nullptr, 0) == unknown);

  // An operation of a number that nobody knows, alone and beside a product.
  Handle new_operation(999), mixed(cudnn::kOperationGraph);
  mixed.set(cudnn::kGraphOperations, {&new_operation, &product.operation});
  again.set(kPlanConfiguration, {&mixed});
  CHECK(cudnn_plan_part(again.get(), nullptr, 0) == unknown);
  CHECK(cudnn_plan_part(again.get(), nullptr, 1) == operation_id(product_shape()));

  // More products than a graph can have here.
  const Handle* const p = &product.operation;
  mixed.set(cudnn::kGraphOperations, {p, p, p, p, p, p, p, p, p});
  Handle large(cudnn::kExecutionPlan);
  large.set(kPlanConfiguration, {&mixed});
  CHECK(cudnn_plan_part(large.get(), nullptr, 0) == unknown);
}

TEST_CASE("sizes that are a bound are marked") {
  begin();
  const Product product;
  Handle graph(cudnn::kOperationGraph), plan(cudnn::kExecutionPlan), pack(cudnn::kVariantPack),
      lengths(cudnn::kTensor);
  graph.set(cudnn::kGraphOperations, {&product.operation});
  plan.set(kPlanConfiguration, {&graph});
  OperationShape dynamic = product_shape();
  dynamic.flags = mfushim::format::kOperationDynamic;
  CHECK(cudnn_plan_part(plan.get(), pack.get(), 0) == operation_id(product_shape()));
  const std::int64_t sizes[] = {1, 2, 3};
  cudnn_attribute_set(pack.get(), cudnn::kPackOverrideShapes, cudnn::kInt64, 3, sizes);
  CHECK(cudnn_plan_part(plan.get(), pack.get(), 0) == operation_id(dynamic));

  const bool yes = true;
  Handle by_graph(cudnn::kExecutionPlan);
  cudnn_attribute_set(graph.get(), cudnn::kGraphIsDynamic, cudnn::kBoolean, 1, &yes);
  by_graph.set(kPlanConfiguration, {&graph});
  CHECK(cudnn_plan_part(by_graph.get(), nullptr, 0) == operation_id(dynamic));

  product.operation.set(cudnn::kMatmulOverrideM, {&lengths});
  Handle ragged_graph(cudnn::kOperationGraph), ragged_plan(cudnn::kExecutionPlan);
  ragged_graph.set(cudnn::kGraphOperations, {&product.operation});
  ragged_plan.set(kPlanConfiguration, {&ragged_graph});
  OperationShape ragged = product_shape();
  ragged.flags = mfushim::format::kOperationRagged;
  CHECK(cudnn_plan_part(ragged_plan.get(), nullptr, 0) == operation_id(ragged));
}

TEST_CASE("more descriptors than there is room for are unknown, and room comes back") {
  begin();
  constexpr std::uintptr_t kFirst = 0x100000000, kMany = 100000;
  for (std::uintptr_t i = 0; i < kMany; ++i)
    cudnn_descriptor_made(reinterpret_cast<const void*>(kFirst + 64 * i), cudnn::kTensor);
  const auto unknown = [] {
    Handle lost(cudnn::kOperationGraph);
    const Product product;
    lost.set(cudnn::kGraphOperations, {&product.operation});
    Handle plan(cudnn::kExecutionPlan);
    plan.set(kPlanConfiguration, {&lost});
    return cudnn_plan_part(plan.get(), nullptr, 0) == operation_id({});
  };
  CHECK(unknown());
  for (std::uintptr_t i = 0; i < kMany; ++i)
    cudnn_descriptor_ends(reinterpret_cast<const void*>(kFirst + 64 * i));
  CHECK_FALSE(unknown());
}
