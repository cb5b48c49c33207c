// The roles of products in passes that are written down here as a framework makes them.
#include <catch2/catch.hpp>

#include <array>
#include <deque>
#include <tuple>
#include <vector>

#include "passes/product_roles.hpp"

namespace mfushim::passes {
namespace {

using format::Transpose;

struct Shape {
  std::uint64_t rows = 2048, hidden = 512, heads = 8, seq = 256, vocabulary = 8000;
  int layers = 3;
  int micro_batches = 1;
  bool recompute = false;
  bool all_transposed = false;  // fp8 products have but one layout
  bool input_gradient_first = true;
  bool embedding = true;  // else the first weight's input needs no gradient
};

// A GPT's products in order, and what of them is done again.
class Pass {
 public:
  explicit Pass(const Shape& shape) : s_(shape) {
    for (int i = 0; i < s_.micro_batches; ++i) {
      for (int layer = 0; layer < s_.layers; ++layer) forward_layer();
      forward(s_.hidden, s_.vocabulary);
      backward(s_.hidden, s_.vocabulary, true);
      for (int layer = s_.layers; layer-- > 0;) {
        const Flops before = flops_;
        if (s_.recompute) forward_layer();
        again_ += flops_ - before;
        backward_layer(layer > 0 || s_.embedding);
      }
    }
  }

  void check() const {
    const StepProducts found = find_roles(pointers_);
    Flops executed = 0, again = 0;
    for (const ProductFamily& family : found.families) {
      executed += family.flops * family.products;
      again += family.flops * family.recomputed;
    }
    CHECK(found.has_backward);
    CHECK(found.rows == s_.rows);
    CHECK(found.micro_batches == static_cast<std::uint64_t>(s_.micro_batches));
    CHECK(static_cast<std::uint64_t>(executed) == static_cast<std::uint64_t>(flops_));
    CHECK(static_cast<std::uint64_t>(again) == static_cast<std::uint64_t>(again_));
  }

 private:
  void product(std::uint64_t m, std::uint64_t n, std::uint64_t k, Transpose a, Transpose b,
               std::uint64_t batch = 1) {
    format::GemmShape shape;
    shape.m = m;
    shape.n = n;
    shape.k = k;
    shape.batch = batch;
    shape.trans_a = s_.all_transposed ? Transpose::kTranspose : a;
    shape.trans_b = s_.all_transposed ? Transpose::kNone : b;
    shapes_.push_back(shape);
    pointers_.push_back(&shapes_.back());
    flops_ += flops_of(shape);
  }

  static constexpr Transpose kN = Transpose::kNone, kT = Transpose::kTranspose;

  // Libraries count by columns: a row-major [rows, columns] is their [columns, rows].
  void forward(std::uint64_t ins, std::uint64_t outs) { product(outs, s_.rows, ins, kT, kN); }

  void backward(std::uint64_t ins, std::uint64_t outs, bool input_gradient) {
    if (input_gradient && s_.input_gradient_first) product(ins, s_.rows, outs, kN, kN);
    product(ins, outs, s_.rows, kN, kT);
    if (input_gradient && !s_.input_gradient_first) product(ins, s_.rows, outs, kN, kN);
  }

  std::uint64_t batch() const { return s_.rows / s_.seq * s_.heads; }
  std::uint64_t head() const { return s_.hidden / s_.heads; }

  void forward_layer() {
    forward(s_.hidden, 3 * s_.hidden);
    product(s_.seq, s_.seq, head(), kT, kN, batch());
    product(head(), s_.seq, s_.seq, kN, kN, batch());
    forward(s_.hidden, s_.hidden);
    forward(s_.hidden, 4 * s_.hidden);
    forward(4 * s_.hidden, s_.hidden);
  }

  void backward_layer(bool input_gradient) {
    backward(4 * s_.hidden, s_.hidden, true);
    backward(s_.hidden, 4 * s_.hidden, true);
    backward(s_.hidden, s_.hidden, true);
    product(s_.seq, s_.seq, head(), kT, kN, batch());
    product(head(), s_.seq, s_.seq, kN, kT, batch());
    product(head(), s_.seq, s_.seq, kN, kN, batch());
    product(head(), s_.seq, s_.seq, kN, kT, batch());
    backward(s_.hidden, 3 * s_.hidden, input_gradient);
  }

  const Shape s_;
  std::deque<format::GemmShape> shapes_;  // whose addresses stay
  std::vector<const format::GemmShape*> pointers_;
  Flops flops_ = 0;
  Flops again_ = 0;
};

}  // namespace

TEST_CASE("forward, backward and repeated products are told apart", "[analyzer]") {
  for (const bool recompute : {false, true})
    for (const int micro_batches : {1, 4, 8})
      for (const bool all_transposed : {false, true})
        for (const bool input_gradient_first : {false, true}) {
          INFO("recompute " << recompute << ", micro-batches " << micro_batches << ", one layout "
                            << all_transposed << ", input's first " << input_gradient_first);
          Shape shape;
          shape.recompute = recompute;
          shape.micro_batches = micro_batches;
          shape.all_transposed = all_transposed;
          shape.input_gradient_first = input_gradient_first;
          Pass(shape).check();
        }
}

TEST_CASE("rows may equal another dimension where transposes tell", "[analyzer]") {
  for (const bool recompute : {false, true}) {
    Shape shape;
    shape.rows = 2048;
    shape.hidden = 2048;
    shape.recompute = recompute;
    Pass(shape).check();
    shape.hidden = 512;  // rows equal the feed-forward width
    Pass(shape).check();
  }
}

TEST_CASE("a first weight without gradient of its input hides no repetition", "[analyzer]") {
  for (const bool recompute : {false, true}) {
    Shape shape;
    shape.embedding = false;
    shape.recompute = recompute;
    Pass(shape).check();
  }
}

// As m, n and k, of layouts that nobody told.
StepProducts roles_of(const std::vector<std::array<std::uint64_t, 3>>& sizes) {
  std::vector<format::GemmShape> shapes(sizes.size());
  std::vector<const format::GemmShape*> pointers;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    std::tie(shapes[i].m, shapes[i].n, shapes[i].k) = std::tuple_cat(sizes[i]);
    pointers.push_back(&shapes[i]);
  }
  return find_roles(pointers);
}

TEST_CASE("a square weight's width counts once as rows", "[analyzer]") {
  // One layer of 128 by 128 on 5 rows, whose input needs no gradient.
  const StepProducts toy = roles_of({{128, 5, 128}, {128, 128, 5}});
  CHECK(toy.has_backward);
  CHECK(toy.rows == 5);
  REQUIRE(toy.families.size() == 1);
  CHECK(toy.families[0].forward == 1);
  CHECK(toy.families[0].gradients == 1);

  // 367 -> 512 -> 512 -> 256 on 16 rows: 512 is a dimension of each weight, the rows of none.
  const StepProducts mlp = roles_of({{512, 16, 367},
                                     {512, 16, 512},
                                     {256, 16, 512},
                                     {512, 16, 256},
                                     {512, 256, 16},
                                     {512, 16, 512},
                                     {512, 512, 16},
                                     {367, 16, 512},
                                     {367, 512, 16}});
  CHECK(mlp.rows == 16);
  for (const ProductFamily& family : mlp.families) {
    CHECK(family.rows == 16);
    CHECK(family.forward == 1);
    CHECK(family.gradients == 1);
    CHECK(family.recomputed == 0);
  }
}

TEST_CASE("forward products of widths back and forth are no training", "[analyzer]") {
  // Attention's four weights, the feed-forward pair, and a head on one row of each of 4 sequences;
  // on rows that equal no width, the narrow, and the wide one.
  for (const std::uint64_t rows : {788, 768, 3072}) {
    INFO(rows << " rows");
    std::vector<std::array<std::uint64_t, 3>> sizes;
    for (int layer = 0; layer < 12; ++layer) {
      sizes.insert(sizes.end(), 4, {768, rows, 768});
      sizes.push_back({3072, rows, 768});
      sizes.push_back({768, rows, 3072});
    }
    sizes.push_back({768, 4, 768});
    const StepProducts found = roles_of(sizes);
    CHECK_FALSE(found.has_backward);
    CHECK(found.rows == rows);
    for (const ProductFamily& family : found.families) CHECK(family.forward == family.products);
  }
}

TEST_CASE("frozen weights back and forth do not hide the trained ones", "[analyzer]") {
  // A feed-forward pair of 512 and 2048 on 100 rows beside the first of which 512 -> 8 -> 2048 is
  // trained: of the pair there are no gradients.
  const StepProducts found = roles_of({{2048, 100, 512},
                                       {8, 100, 512},
                                       {2048, 100, 8},
                                       {512, 100, 2048},
                                       {2048, 100, 512},
                                       {8, 100, 2048},
                                       {8, 2048, 100},
                                       {512, 100, 8},
                                       {512, 8, 100},
                                       {512, 100, 2048}});
  CHECK(found.has_backward);
  CHECK(found.rows == 100);
}

}  // namespace mfushim::passes
