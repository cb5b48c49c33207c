// Models: their dimensions against the sizes that publishers give, their work against published
// comparisons of formulas, and the ways in which people name and describe them.
#include <catch2/catch.hpp>

#include <set>

#include "knowledge/model_config.hpp"
#include "knowledge/model_flops.hpp"
#include "knowledge/models.hpp"

namespace mfushim::knowledge {

namespace {

ModelWork work_of(std::string_view name, double seq) {
  const KnownModel* model = find_model(name);
  REQUIRE(model);
  ModelWork work;
  work.shape = model->shape;
  work.seq = seq;
  return work;
}

// To a unit of the third decimal, in 1e9: what the comparison prints.
bool is_giga(double value, double printed) {
  return std::abs(value / 1e9 - printed) <= 0.00051 * 1.0001;
}

}  // namespace

// The factor between shape and published count is what biases and small tables add.
TEST_CASE("models have as many parameters as their publishers say", "[analyzer]") {
  for (const KnownModel& model : all_models()) {
    INFO(model.shape.name);
    CHECK(count_parameters(model.shape).total == Approx(model.params).epsilon(0.01));
    CHECK_FALSE(model.source.empty());
  }
}

TEST_CASE("no two models answer to one name", "[analyzer]") {
  std::set<std::string> keys;
  for (const KnownModel& model : all_models()) {
    INFO(model.shape.name);
    CHECK(keys.insert(model_key(model.shape.name)).second);
    for (const std::string& alias : model.aliases) CHECK(keys.insert(model_key(alias)).second);
    CHECK(find_model(model.shape.name) == &model);
  }
}

TEST_CASE("models are found as people write them", "[analyzer]") {
  const auto name = [](std::string_view written) -> std::string {
    const KnownModel* model = find_model(written);
    return model ? model->shape.name : "";
  };
  CHECK(name("llama-3-8b") == "Llama-3-8B");
  CHECK(name("LLAMA3.1_405B") == "Llama-3.1-405B");
  CHECK(name("meta-llama/Meta-Llama-3-70B-Instruct") == "Llama-3-70B");
  CHECK(name("Qwen/Qwen2.5-7B-Instruct") == "Qwen2.5-7B");
  CHECK(name("Qwen3_30B_a3B") == "Qwen3-30B-A3B");
  CHECK(name("GPT OSS 120B") == "GPT-OSS-120B");
  CHECK(name("mixtral-8x7b-v0.1") == "Mixtral-8x7B");
  CHECK(name("gpt2-xl") == "GPT-2-XL");
  CHECK(name("llama3_1_8b") == "Llama-3.1-8B");
  CHECK(name("gpt-3-1.3b") == "GPT-3-1.3B");
  CHECK(name("gpt3_13b") == "GPT-3-13B");
  CHECK(name("llama-3-9b").empty());
  CHECK(name("").empty());
  CHECK(name("-hf").empty());
}

// accounting of eleven tools for four models, in GFLOP per token: rows a, c, e, f, i, j and k.
TEST_CASE("work per token by the formulas of other tools", "[analyzer]") {
  struct Row {
    const char* model;
    double seq, params, products, six_n, palm, noncausal, causal, sc21_hfu, palm_hfu, prefill;
  };
  const Row rows[] = {
      {"Llama-2-7B", 4096, 6.738, 6.607, 40.430, 46.873, 46.085, 42.864, 61.184, 62.497, 14.288},
      {"Llama-3-8B", 8192, 8.030, 7.505, 48.182, 61.066, 57.913, 51.470, 76.166, 81.422, 17.157},
      {"Mixtral-8x7B", 4096, 12.880, 12.748, 77.280, 83.722, 82.928, 79.706, 110.308, 111.629,
       26.569},
  };
  for (const Row& row : rows) {
    INFO(row.model);
    ModelWork work = work_of(row.model, row.seq);
    work.recompute = Recompute::kFull;
    const auto flops = [&](Convention c) { return *flops_per_token(work, c); };
    const auto counts = count_parameters(work.shape);
    CHECK(is_giga(counts.active, row.params));
    CHECK(is_giga(counts.products, row.products));
    CHECK(is_giga(flops(Convention::kSixN).model, row.six_n));
    CHECK(is_giga(flops(Convention::kPalm).model, row.palm));
    CHECK(is_giga(flops(Convention::kNoncausal).model, row.noncausal));
    CHECK(is_giga(flops(Convention::kCausal).model, row.causal));
    CHECK(is_giga(flops(Convention::kNoncausal).hardware.value(), row.sc21_hfu));
    CHECK(is_giga(flops(Convention::kPalm).hardware.value(), row.palm_hfu));
    work.inference = true;
    CHECK(is_giga(flops(Convention::kCausal).model, row.prefill));
  }
}

TEST_CASE("DeepSeek-V3 costs what Megatron-LM's formula says", "[analyzer]") {
  ModelWork work = work_of("DeepSeek-V3", 4096);
  CHECK(flops_per_token(work, Convention::kCausal)->model == Approx(249.8e9).epsilon(0.0004));
  work.mtp = 1;
  CHECK(flops_per_token(work, Convention::kCausal)->model == Approx(260.0e9).epsilon(0.0004));
}

TEST_CASE("layers that see a part of the sequence cost that part", "[analyzer]") {
  ModelWork all;
  all.shape.layers = all.shape.dense_layers = 2;
  all.shape.hidden = all.shape.head_dim = 10;
  all.shape.heads = all.shape.kv_heads = 1;
  all.shape.ffn = 40;
  all.seq = 1000;
  const auto attention = [](const ModelWork& work, Convention convention) {
    ModelWork short_sequence = work;
    short_sequence.seq = 1e-9;
    return flops_per_token(work, convention)->model -
           flops_per_token(short_sequence, convention)->model;
  };
  // 12 L Q s, and half of it.
  CHECK(attention(all, Convention::kNoncausal) == Approx(12.0 * 2 * 10 * 1000));
  CHECK(attention(all, Convention::kCausal) == Approx(6.0 * 2 * 10 * 1000));
  ModelWork encoder = all;
  encoder.shape.bidirectional = true;
  CHECK(attention(encoder, Convention::kCausal) == Approx(12.0 * 2 * 10 * 1000));
  ModelWork window = all;
  window.shape.window = 100;
  window.shape.window_layers = 1;
  CHECK(attention(window, Convention::kNoncausal) == Approx(12.0 * 10 * (1000 + 100)));
  // The first 100 positions see 50 in the mean, the other 900 see 100: 95.
  CHECK(attention(window, Convention::kCausal) == Approx(12.0 * 10 * (500 + 95)));
  window.shape.chunked = true;
  CHECK(attention(window, Convention::kCausal) == Approx(12.0 * 10 * (500 + 50)));
  window.shape.window = 5000;
  CHECK(attention(window, Convention::kCausal) == attention(all, Convention::kCausal));
}

TEST_CASE("conventions say what they lack", "[analyzer]") {
  ModelWork work;
  CHECK(missing_for(work, Convention::kSixN) == "--params");
  work.params = 7e9;
  CHECK(missing_for(work, Convention::kSixN).empty());
  CHECK(usual_convention(work) == Convention::kSixN);
  CHECK(missing_for(work, Convention::kPalm) == "--layers");
  CHECK_FALSE(flops_per_token(work, Convention::kCausal));
  work.shape.layers = 32;
  work.shape.heads = 32;
  work.shape.head_dim = 128;
  CHECK(missing_for(work, Convention::kPalm) == "--seq");
  work.seq = 2048;
  CHECK(usual_convention(work) == Convention::kPalm);
  CHECK(flops_per_token(work, Convention::kPalm)->model ==
        Approx(6 * 7e9 + 12.0 * 32 * 4096 * 2048));
}

TEST_CASE("recomputing attention repeats its forward pass", "[analyzer]") {
  ModelWork work = work_of("GPT-3", 2048);
  work.recompute = Recompute::kSelective;
  const auto flops = *flops_per_token(work, Convention::kNoncausal);
  CHECK(*flops.hardware - flops.model == Approx(4.0 * 96 * 12288 * 2048));
}

TEST_CASE("config.json files of several families", "[analyzer]") {
  const auto shape_of = [](std::string_view text) {
    const ModelConfig config = parse_model_config(text);
    INFO(config.problem);
    CHECK(config.problem.empty());
    return config.shape;
  };
  const auto same = [](const ModelShape& shape, std::string_view name) {
    const KnownModel* model = find_model(name);
    REQUIRE(model);
    const auto text = [](const ModelShape& one) {
      std::string fields;
      for (const auto& [field, value] : fields_of(one))
        fields += std::string(field) + " " + std::to_string(value) + "\n";
      return fields;
    };
    CHECK(text(shape) == text(model->shape));
  };
  same(shape_of(R"({"model_type":"llama","hidden_size":4096,"intermediate_size":14336,
    "num_attention_heads":32,"num_hidden_layers":32,"num_key_value_heads":8,"vocab_size":128256,
    "hidden_act":"silu","tie_word_embeddings":false})"),
       "Llama-3-8B");
  same(shape_of(R"({"model_type":"gpt2","n_embd":1600,"n_head":25,"n_layer":48,"n_positions":1024,
    "vocab_size":50257,"activation_function":"gelu_new"})"),
       "GPT-2-XL");
  same(shape_of(R"({"model_type":"deepseek_v3","hidden_size":7168,"intermediate_size":18432,
    "moe_intermediate_size":2048,"n_routed_experts":256,"n_shared_experts":1,
    "num_experts_per_tok":8,"first_k_dense_replace":3,"moe_layer_freq":1,
    "num_attention_heads":128,"num_key_value_heads":128,"num_hidden_layers":61,"q_lora_rank":1536,
    "kv_lora_rank":512,"qk_nope_head_dim":128,"qk_rope_head_dim":64,"v_head_dim":128,
    "num_nextn_predict_layers":1,"vocab_size":129280,"hidden_act":"silu",
    "tie_word_embeddings":false})"),
       "DeepSeek-V3");
  same(shape_of(R"({"model_type":"qwen3_moe","hidden_size":2048,"intermediate_size":6144,
    "moe_intermediate_size":768,"num_experts":128,"num_experts_per_tok":8,"decoder_sparse_step":1,
    "mlp_only_layers":[],"num_attention_heads":32,"num_key_value_heads":4,"head_dim":128,
    "num_hidden_layers":48,"vocab_size":151936,"sliding_window":null,"use_sliding_window":false,
    "hidden_act":"silu","tie_word_embeddings":false})"),
       "Qwen3-30B-A3B");
  same(shape_of(R"({"model_type":"falcon","hidden_size":4544,"num_attention_heads":71,
    "num_hidden_layers":32,"multi_query":true,"new_decoder_architecture":false,
    "vocab_size":65024})"),
       "Falcon-7B");
  same(shape_of(R"({"model_type":"mixtral","hidden_size":4096,"intermediate_size":14336,
    "num_attention_heads":32,"num_key_value_heads":8,"num_hidden_layers":32,"num_local_experts":8,
    "num_experts_per_tok":2,"sliding_window":null,"vocab_size":32000,"hidden_act":"silu"})"),
       "Mixtral-8x7B");
  same(shape_of(R"({"model_type":"vit","hidden_size":1024,"intermediate_size":4096,
    "num_attention_heads":16,"num_hidden_layers":24,"image_size":224,"patch_size":16,
    "num_channels":3,"hidden_act":"gelu"})"),
       "ViT-L/16");
  same(shape_of(R"({"layers":32,"hidden":4096,"ffn":14336,"heads":32,"kv_heads":8,"vocab":128256,
    "gated":true})"),
       "Llama-3-8B");
}

TEST_CASE("a hybrid's layers are counted by their letters", "[analyzer]") {
  const ModelShape glm = parse_model_config(R"({"model_type":"chatglm","hidden_size":4096,
      "num_layers":28,"num_attention_heads":32,"ffn_hidden_size":13696,"kv_channels":128,
      "multi_query_attention":true,"multi_query_group_num":2,"padded_vocab_size":65024})")
                             .shape;
  CHECK(glm.kv_heads == 2);
  CHECK(glm.vocab == 65024);
  const ModelConfig config = parse_model_config(R"({"model_type":"nemotron_h","hidden_size":64,
    "num_hidden_layers":6,"hybrid_override_pattern":"M-M*E-","intermediate_size":256,
    "num_attention_heads":4,"num_key_value_heads":2,"head_dim":16,"vocab_size":100,
    "mamba_num_heads":8,"mamba_head_dim":16,"ssm_state_size":32,"n_groups":2,
    "n_routed_experts":4,"num_experts_per_tok":2,"moe_intermediate_size":32})");
  CHECK(config.problem.empty());
  CHECK(config.shape.layers == 1);
  CHECK(config.shape.dense_layers == 2);
  CHECK(config.shape.moe_layers == 1);
  CHECK(config.shape.mamba_layers == 2);
  CHECK(config.shape.mamba_inner == 128);
  // Weights by hand: attention 2*64*(64+32), feed-forwards 2*2*64*256, experts 2*64*32*2, Mamba
  // 2*(64*(2*128+2*2*32+8) + 128*64), output 64*100.
  CHECK(count_parameters(config.shape).products ==
        2 * 64 * 96 + 2 * 2 * 64 * 256 + 2 * 64 * 64 + 2 * (64 * 392 + 128 * 64) + 6400);
}

TEST_CASE("what is no decoder of known layers is refused", "[analyzer]") {
  const auto problem = [](std::string_view text) { return parse_model_config(text).problem; };
  CHECK_FALSE(problem(R"({"model_type":"mamba2","hidden_size":64,"num_hidden_layers":2,
      "num_heads":4,"head_dim":16,"state_size":128})")
                  .empty());
  CHECK_FALSE(problem(R"({"model_type":"t5","d_model":64,"num_layers":2,"num_heads":4,"d_kv":16,
      "d_ff":256})")
                  .empty());
  CHECK_FALSE(
      problem(R"({"hidden_size":-64,"num_hidden_layers":2,"num_attention_heads":4})").empty());
  CHECK_FALSE(problem(R"({"hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,
      "num_key_value_heads":8})")
                  .empty());
  CHECK_FALSE(problem("").empty());
  CHECK_FALSE(problem("[1]").empty());
  CHECK_FALSE(problem("{}").empty());
  CHECK_FALSE(problem(R"({"layers":2,"hidden":64,"width":3})").empty());
  CHECK_FALSE(problem(R"({"is_encoder_decoder":true,"hidden_size":8,"num_hidden_layers":1,
    "num_attention_heads":1})")
                  .empty());
  CHECK_FALSE(problem(R"({"model_type":"qwen3_next","hidden_size":8,"num_hidden_layers":2,
    "num_attention_heads":1,"layer_types":["linear_attention","full_attention"]})")
                  .empty());
}

}  // namespace mfushim::knowledge
