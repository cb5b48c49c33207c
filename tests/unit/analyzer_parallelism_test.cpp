// How a model is divided, from the products and collectives of one process of it, written down here
// as frameworks make them: LLaMA-like layers, whole, shared, in stages, in parts, as replicas.
#include <catch2/catch.hpp>

#include <memory>

#include "passes/inference.hpp"

namespace mfushim::passes {
namespace {

using format::CollectiveOp;
using format::Transpose;

enum class Gradients {
  kAllReduced,  // of layers, after the last micro-batch
  kScattered,   // of layers in parts, whose weights are gathered for each use
};

struct Division {
  std::uint64_t rows = 2048, hidden = 512, kv = 128, wide = 1408, vocabulary = 8000;
  std::uint64_t layers = 3, micro_batches = 1;
  std::uint64_t sharers = 1;   // of each weight
  bool divides_rows = false;   // between sharers' products
  std::uint64_t replicas = 1;  // or ranks that have a part each
  Gradients gradients = Gradients::kAllReduced;
  std::uint64_t copies_of_parts = 1;  // where gradients are scattered
  bool is_stage = false;              // without embedding and output, between two neighbours
  bool has_ring = false;              // ranks that pass keys and values on, forward and backward
  bool has_experts = false;           // whose gradients are averaged over half of the replicas
  bool has_tied_embedding = false;    // an output that is the embedding of another stage
  bool one_matrix_at_a_time = false;  // gathered and scattered
};

// Communicators, by their number in the log.
enum : std::uint32_t { kSharers = 1, kReplicas, kCopies, kExperts, kNeighbours, kWorld, kPair };

class Job {
 public:
  explicit Job(const Division& division) : d_(division) {
    const std::uint64_t all = d_.sharers * d_.replicas * d_.copies_of_parts;
    const std::uint64_t sizes[] = {
        d_.sharers, d_.replicas, d_.copies_of_parts, d_.replicas / 2, 2, all, 2};
    for (std::uint32_t i = 0; i < std::size(sizes); ++i)
      process_->communicators.set(
          i + 1,
          {.hash = 100 + i, .rank = 0, .size = static_cast<std::int32_t>(sizes[i]), .name = {}});
  }

  void step(std::uint64_t rows) {
    d_.rows = rows;
    const std::int64_t start = now_;
    if (d_.is_stage) {
      stage();
    } else {
      for (micro_batch_ = 0; micro_batch_ < d_.micro_batches; ++micro_batch_) {
        forward();
        backward();
      }
    }
    if (d_.has_tied_embedding)
      collective(CollectiveOp::kAllReduce, kPair, d_.vocabulary * d_.hidden);
    collective(CollectiveOp::kAllReduce, kWorld, 1);  // the gradients' norm
    spans_.push_back({start, now_});
  }

  Inference infer() {
    model::Run run;
    run.processes.push_back(std::move(process_));
    StepResult steps;
    steps.list.resize(spans_.size());
    steps.spans = {spans_};
    return *find_inference(run, steps);
  }

 private:
  void call(model::CallKind kind, std::uint32_t subject) {
    model::HostCall call;
    call.kind = kind;
    call.subject = subject;
    call.number = 1;
    call.start = now_;
    call.end = now_ + 1;
    now_ += 2;
    process_->calls.push_back(call);
  }

  void product(std::uint64_t m, std::uint64_t n, std::uint64_t k, Transpose a, Transpose b) {
    format::GemmShape shape;
    shape.id = ++subjects_;
    shape.m = m;
    shape.n = n;
    shape.k = k;
    shape.trans_a = a;
    shape.trans_b = b;
    process_->shapes.set(shape.id, shape);
    call(model::CallKind::kGemm, shape.id);
  }

  void collective(CollectiveOp op, std::uint32_t communicator, std::uint64_t count,
                  std::int32_t peer = -1) {
    if (process_->communicators[communicator].size < 2) return;
    format::CollectiveShape shape;
    shape.id = ++subjects_;
    shape.communicator = communicator;
    shape.op = op;
    shape.count = count;
    shape.peer = peer;
    process_->collectives.set(shape.id, shape);
    call(model::CallKind::kCollective, shape.id);
  }

  struct Weight {
    std::uint64_t ins, outs;
  };

  void forward_product(Weight w) {
    if (d_.one_matrix_at_a_time) gather(w.ins * w.outs);
    product(w.outs, d_.rows, w.ins, Transpose::kTranspose, Transpose::kNone);
  }
  void backward_product(Weight w) {
    if (d_.one_matrix_at_a_time) gather(w.ins * w.outs);
    product(w.ins, d_.rows, w.outs, Transpose::kNone, Transpose::kNone);
    product(w.ins, w.outs, d_.rows, Transpose::kNone, Transpose::kTranspose);
    if (d_.one_matrix_at_a_time) reduce(w.ins * w.outs);
  }

  void sum_activations() {
    const std::uint64_t elements = d_.rows * d_.hidden;
    if (d_.divides_rows)
      collective(CollectiveOp::kReduceScatter, kSharers, elements / d_.sharers);
    else
      collective(CollectiveOp::kAllReduce, kSharers, elements);
  }
  void gather_activations() {
    if (d_.divides_rows)
      collective(CollectiveOp::kAllGather, kSharers, d_.rows * d_.hidden / d_.sharers);
  }

  void gather(std::uint64_t elements) {
    if (d_.gradients == Gradients::kScattered)
      collective(CollectiveOp::kAllGather, kReplicas, elements / d_.replicas);
  }
  void reduce(std::uint64_t elements) {
    if (d_.gradients == Gradients::kScattered) {
      collective(CollectiveOp::kReduceScatter, kReplicas, elements / d_.replicas);
      collective(CollectiveOp::kAllReduce, kCopies, elements / d_.replicas);
    } else if (micro_batch_ + 1 == d_.micro_batches) {
      collective(CollectiveOp::kAllReduce, kReplicas, elements);
    }
  }

  std::uint64_t part(std::uint64_t width) const { return width / d_.sharers; }
  Weight queries() const { return {d_.hidden, part(d_.hidden)}; }
  Weight keys() const { return {d_.hidden, part(d_.kv)}; }
  Weight output() const { return {part(d_.hidden), d_.hidden}; }
  Weight gate() const { return {d_.hidden, part(d_.wide)}; }
  Weight down() const { return {part(d_.wide), d_.hidden}; }
  Weight head() const { return {d_.hidden, part(d_.vocabulary)}; }
  std::uint64_t attention_elements() const {
    return part(2 * d_.hidden * d_.hidden + 2 * d_.hidden * d_.kv);
  }
  std::uint64_t wide_elements() const { return part(3 * d_.hidden * d_.wide); }
  std::uint64_t layer_elements() const { return attention_elements() + wide_elements(); }

  void pass_on_keys() {
    if (!d_.has_ring) return;
    for (int i = 0; i < 2; ++i) {
      collective(CollectiveOp::kSend, kNeighbours, d_.rows * d_.kv, 1);
      collective(CollectiveOp::kRecv, kNeighbours, d_.rows * d_.kv, 1);
    }
  }

  void forward_layer() {
    if (!d_.one_matrix_at_a_time) gather(layer_elements());
    gather_activations();
    for (const Weight w : {queries(), keys(), keys()}) forward_product(w);
    pass_on_keys();
    forward_product(output());
    sum_activations();
    gather_activations();
    for (const Weight w : {gate(), gate(), down()}) forward_product(w);
    sum_activations();
  }

  void backward_layer() {
    if (!d_.one_matrix_at_a_time) gather(layer_elements());
    gather_activations();
    for (const Weight w : {down(), gate(), gate()}) backward_product(w);
    sum_activations();
    gather_activations();
    backward_product(output());
    pass_on_keys();
    for (const Weight w : {keys(), keys(), queries()}) backward_product(w);
    sum_activations();
    if (d_.one_matrix_at_a_time) return;
    if (d_.has_experts) {
      reduce(attention_elements());
      collective(CollectiveOp::kAllReduce, kExperts, wide_elements());
    } else {
      reduce(layer_elements());
    }
  }

  void forward() {
    sum_activations();  // of the embedding
    for (std::uint64_t i = 0; i < d_.layers; ++i) forward_layer();
    gather_activations();
    forward_product(head());
  }

  void backward() {
    backward_product(head());
    sum_activations();
    for (std::uint64_t i = 0; i < d_.layers; ++i) backward_layer();
    if (!d_.one_matrix_at_a_time) reduce(part(d_.vocabulary * d_.hidden));
  }

  // Two micro-batches on their way through the stages after this; then one forward, one backward.
  void stage() {
    const std::uint64_t ahead = std::min<std::uint64_t>(2, d_.micro_batches);
    for (std::uint64_t i = 0; i < d_.micro_batches + ahead; ++i) {
      if (i < d_.micro_batches) {
        transfer(CollectiveOp::kRecv, 0);
        for (std::uint64_t layer = 0; layer < d_.layers; ++layer) forward_layer();
        transfer(CollectiveOp::kSend, 1);
      }
      if (i < ahead) continue;
      micro_batch_ = i - ahead;
      transfer(CollectiveOp::kRecv, 1);
      for (std::uint64_t layer = 0; layer < d_.layers; ++layer) backward_layer();
      transfer(CollectiveOp::kSend, 0);
    }
  }

  void transfer(CollectiveOp op, std::int32_t peer) {
    const std::uint64_t elements = d_.rows * d_.hidden;
    collective(op, kNeighbours, d_.divides_rows ? elements / d_.sharers : elements, peer);
  }

  Division d_;
  std::unique_ptr<model::Process> process_ = std::make_unique<model::Process>();
  std::vector<Interval> spans_;
  std::int64_t now_ = 1000;
  std::uint32_t subjects_ = 0;
  std::uint64_t micro_batch_ = 0;
};

// Of three steps.
Inference infer(const Division& division) {
  Job job(division);
  for (int i = 0; i < 3; ++i) job.step(division.rows);
  return job.infer();
}

void check(const Division& d, std::uint64_t replicas) {
  INFO(d.sharers << " sharers, rows divided " << d.divides_rows << ", " << d.replicas
                 << " replicas, " << d.micro_batches << " micro-batches");
  const Inference found = infer(d);
  REQUIRE(found.sharing);
  CHECK(found.rows == d.rows);
  CHECK(found.micro_batches == d.micro_batches);
  CHECK(found.recomputed == 0);
  CHECK(found.sharing->ranks == d.sharers);
  CHECK(found.data_parallel == replicas);
  CHECK(found.tokens_per_step() == d.rows * d.micro_batches * replicas);
}

}  // namespace

TEST_CASE("ranks that share weights are told from replicas", "[analyzer]") {
  for (const std::uint64_t sharers : {1, 2, 4, 8})
    for (const bool divides_rows : {false, true})
      for (const std::uint64_t replicas : {1, 2, 8})
        for (const std::uint64_t micro_batches : {1, 4}) {
          Division division;
          division.sharers = sharers;
          division.divides_rows = divides_rows;
          division.replicas = replicas;
          division.micro_batches = micro_batches;
          check(division, replicas);
        }
}

TEST_CASE("shared weights are told with their evidence", "[analyzer]") {
  Division division;
  division.sharers = 4;
  division.divides_rows = true;
  division.micro_batches = 2;
  const Inference found = infer(division);
  CHECK(found.sharing->communicator == "0x0000000000000064");
  CHECK(found.sharing->activation == ActivationSize{2048, 512});
  CHECK(found.sharing->divided_by == std::set<std::uint64_t>{512 / 4, 1408 / 4});
  // Of three steps: two of three layers before any gradient; of each micro-batch those, as many
  // backward, the embedding's and the output's; a gather before each part and before the output.
  CHECK(found.sharing->forward_sums == 3 * 2 * 3);
  CHECK(found.sharing->sums == 3 * 2 * (2 * 2 * 3 + 2));
  CHECK(found.sharing->gathers == 3 * 2 * (2 * 2 * 3 + 1));
}

TEST_CASE("weights in parts are not shared", "[analyzer]") {
  for (const std::uint64_t micro_batches : {1, 4})
    for (const std::uint64_t copies : {1, 2}) {
      Division division;
      division.gradients = Gradients::kScattered;
      division.replicas = 8;
      division.copies_of_parts = copies;
      division.micro_batches = micro_batches;
      check(division, 8 * copies);
      // Gathers and reductions as large as activations.
      division.one_matrix_at_a_time = true;
      division.rows = division.hidden;
      check(division, 8 * copies);
      division.rows = 2048;
      division.sharers = 2;
      check(division, 8 * copies);
    }
}

TEST_CASE("a gradient as large as an activation is none", "[analyzer]") {
  Division division;
  division.replicas = 2;
  division.one_matrix_at_a_time = true;  // reduced right after the product that makes it
  division.rows = division.hidden;
  check(division, 2);
  division.rows = division.vocabulary;
  check(division, 2);
}

TEST_CASE("experts are replicated less often than the rest", "[analyzer]") {
  Division division;
  division.has_experts = true;
  division.replicas = 8;
  check(division, 8);
}

TEST_CASE("a stage's micro-batches are counted by its neighbours", "[analyzer]") {
  for (const std::uint64_t micro_batches : {1, 2, 8})
    for (const std::uint64_t sharers : {1, 2})
      for (const std::uint64_t replicas : {1, 2}) {
        Division division;
        division.is_stage = true;
        division.micro_batches = micro_batches;
        division.sharers = sharers;
        division.divides_rows = sharers > 1;
        division.replicas = replicas;
        check(division, replicas);
      }
}

TEST_CASE("ranks that divide sequences are replicas, not stages", "[analyzer]") {
  for (const std::uint64_t micro_batches : {1, 4}) {
    Division division;
    division.has_ring = true;
    division.replicas = 2;
    division.micro_batches = micro_batches;
    check(division, 2);
  }
}

TEST_CASE("steps of different lengths count by their mean", "[analyzer]") {
  Division division;
  division.micro_batches = 2;
  Job job(division);
  for (const std::uint64_t rows : {1024, 2048, 3000}) job.step(rows);
  CHECK(job.infer().tokens_per_step() == 2 * 6072 / 3);
}

TEST_CASE("an embedding that two stages have makes them no replicas", "[analyzer]") {
  Division division;
  division.has_tied_embedding = true;
  check(division, 1);
  division.replicas = 4;
  check(division, 4);
}

}  // namespace mfushim::passes
