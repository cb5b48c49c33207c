// `mfushim calc`: GPUs as people name them, answers worked out by hand, impossible numbers.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>

#include "knowledge/gpus.hpp"
#include "knowledge/measured_peaks.hpp"
#include "support.hpp"

namespace mfushim::test {

namespace {

using Words = std::vector<std::string>;

nlohmann::json calc(Words words) {
  words.insert(words.begin(), "calc");
  words.emplace_back("--json");
  const Outcome outcome = mfushim(words);
  INFO(outcome.errors);
  REQUIRE(outcome.exit_code == 0);
  return nlohmann::json::parse(outcome.output);
}

// The cause of this name in an answer that is doubted.
nlohmann::json cause(const nlohmann::json& answer, std::string_view name) {
  for (const auto& one : answer.at("doubt").at("causes"))
    if (one.at("cause") == name) return one;
  FAIL("no cause " << name);
  return {};
}

std::string gpu_of(const std::string& written) {
  const knowledge::GpuMatch match = knowledge::match_gpu(written);
  return match.candidates.empty() ? "" : match.candidates.front()->name;
}

}  // namespace

TEST_CASE("GPUs are found by their common short names", "[analyzer]") {
  CHECK(gpu_of("H100") == "H100-SXM5-80GB");
  CHECK(gpu_of("H100-SXM-80GB") == "H100-SXM5-80GB");
  CHECK(gpu_of("NVIDIA H100 80GB HBM3") == "H100-SXM5-80GB");
  CHECK(gpu_of("h100 pcie") == "H100-PCIe-80GB");
  CHECK(gpu_of("A100-SXM-40GB") == "A100-SXM4-40GB");
  CHECK(gpu_of("rtx4090") == "RTX 4090");
  CHECK(gpu_of("l4") == "L4");
  CHECK(gpu_of("B200") == "B200-SXM");
  CHECK(knowledge::match_gpu("H100").note.find("H100-PCIe-80GB") != std::string::npos);
}

TEST_CASE("what is no GPU of the table stays unknown", "[analyzer]") {
  for (const char* name : {"", "X100", "MI300X", "TPU v4", "80GB", "H1", "L", "H100 (96GB HBM2e)"})
    CHECK(gpu_of(name) == "");
  // Several, which differ: a range, never one of them.
  const auto range = knowledge::match_gpu("RTX PRO 6000").peak(format::DType::kBf16);
  REQUIRE(range);
  CHECK(range->low == Approx(467e12));
  CHECK(range->high == Approx(503.8e12));
}

TEST_CASE("relatives of one name are told apart by their size", "[analyzer]") {
  using knowledge::identify_gpu;
  const auto peak = [](const knowledge::GpuMatch& match) {
    const auto range = match.peak(format::DType::kBf16);
    return range && range->low == range->high ? range->low / 1e12 : 0;
  };
  CHECK(peak(identify_gpu({"NVIDIA H100", 114, 85'000'000'000})) == Approx(756));
  CHECK(peak(identify_gpu({"NVIDIA H100", 132, 85'000'000'000})) == Approx(989.4));
  CHECK(peak(identify_gpu({"NVIDIA H100", 132, 100'000'000'000})) == Approx(835));
  const auto open = identify_gpu({"NVIDIA H100", 0, 0}).peak(format::DType::kBf16);
  REQUIRE(open);
  CHECK(open->low == Approx(756e12));
  CHECK(open->high == Approx(989.4e12));
}

TEST_CASE("a slice of a GPU has that part of its peak", "[analyzer]") {
  using knowledge::identify_gpu;
  const auto slice = identify_gpu({"NVIDIA A100-SXM4-40GB MIG 1g.5gb", 14, 0});
  REQUIRE(slice.peak(format::DType::kBf16));
  CHECK(slice.peak(format::DType::kBf16)->low == Approx(312e12 * 14 / 108));
  CHECK(identify_gpu({"NVIDIA A100-SXM4-40GB MIG 1g.5gb", 0, 0}).candidates.empty());
  CHECK(identify_gpu({"AMD Thing MIG 1g.5gb", 14, 0}).candidates.empty());
  // 4090 D: 114 of the 128 multiprocessors.
  CHECK(identify_gpu({"NVIDIA GeForce RTX 4090 D", 114, 0}).peak(format::DType::kBf16)->low ==
        Approx(165.2e12 * 114 / 128));
  // More multiprocessors than the GPU of that name has: another GPU.
  CHECK(identify_gpu({"NVIDIA L20Y", 132, 0}).candidates.empty());
}

TEST_CASE("calc: 100 H100 for ten days", "[analyzer]") {
  const auto answer = calc({"--gpu", "H100", "--gpus", "100", "--params", "7e9", "--step-seconds",
                            "864000", "--tokens-per-step", "1e12"});
  CHECK(answer.at("mfu").get<double>() ==
        Approx(6 * 7e9 * 1e12 / (864000.0 * 100 * 989.4e12)));  // 49 %
  CHECK(answer.at("convention") == "6n");
  CHECK_FALSE(answer.contains("doubt"));
}

TEST_CASE("calc: both ways of giving the speed agree", "[analyzer]") {
  const Words common = {"--gpu", "H100", "--gpus", "16", "--model", "llama-3-8b", "--seq", "8192"};
  Words rate = common;
  rate.insert(rate.end(), {"--tokens-per-second-per-gpu", "8000"});
  Words step = common;
  step.insert(step.end(), {"--step-seconds", "4", "--tokens-per-step", "512000"});
  CHECK(calc(rate).at("mfu").get<double>() == Approx(calc(step).at("mfu").get<double>()));
  CHECK(calc(rate).at("conventions").size() == 4);
}

TEST_CASE("calc: a dimension beside the model replaces its own", "[analyzer]") {
  const Words common = {
      "--gpu", "H100", "--model", "llama-3-8b", "--seq", "8192", "--tokens-per-second-per-gpu",
      "8000"};
  Words padded = common;
  padded.insert(padded.end(), {"--vocab", "131072"});
  const auto flops = [](const Words& words) {
    return calc(words).at("model_flops_per_token").get<double>();
  };
  CHECK(flops(padded) - flops(common) == Approx(6.0 * 4096 * (131072 - 128256)));
}

TEST_CASE("calc: an unknown GPU has no MFU", "[analyzer]") {
  const auto answer =
      calc({"--gpu", "TPU v4", "--params", "1e9", "--tokens-per-second-per-gpu", "10000"});
  CHECK_FALSE(answer.contains("mfu"));
  CHECK_FALSE(answer.contains("peak_flops_per_s"));
  CHECK(answer.at("flops_per_s_per_gpu").get<double>() == Approx(6e13));
  CHECK(answer.at("mfu_absent_because").get<std::string>().find("TPU v4") != std::string::npos);
  // With a peak, the name is only a label.
  CHECK(calc({"--gpu", "TPU v4", "--peak", "275", "--params", "1e9", "--tokens-per-second-per-gpu",
              "10000"})
            .at("mfu")
            .get<double>() == Approx(6e13 / 275e12));
}

TEST_CASE("calc: a step that is faster than its GPUs can be", "[analyzer]") {
  const auto answer = calc({"--gpu", "A100", "--gpus", "8", "--params", "7e9", "--seq", "2048",
                            "--step-seconds", "0.5", "--tokens-per-step", "65536"});
  const double mfu = 6 * 7e9 * 65536 / (0.5 * 8 * 312e12);
  CHECK(answer.at("mfu").get<double>() == Approx(mfu));
  CHECK(answer.at("doubt").at("limit").get<std::string>().find("1.103 s") != std::string::npos);
  CHECK(cause(answer, "gpus").at("explains") == true);
  CHECK(cause(answer, "gpus").at("mfu").get<double>() == Approx(mfu / 4));  // 32 GPUs
  CHECK(cause(answer, "tokens_per_step").at("explains") == true);
  CHECK(cause(answer, "forward_only").at("mfu").get<double>() == Approx(mfu / 3));
  CHECK(cause(answer, "forward_only").at("explains") == false);
  CHECK(cause(answer, "sparse_peak").at("explains") == false);
  CHECK(cause(answer, "params_unit").at("explains") == false);
}

// Mistakes that were published: the peak of another GPU, and of another type.
TEST_CASE("calc: published mistakes are named", "[analyzer]") {
  // 202 % of an A100's peak by a B200; right is 28.1 %.
  const auto b200 = calc({"--gpu", "B200", "--peak", "312", "--params", "1e9",
                          "--tokens-per-second-per-gpu", "105040"});
  CHECK(b200.at("mfu").get<double>() == Approx(2.02).epsilon(0.001));
  CHECK(cause(b200, "peak").at("mfu").get<double>() == Approx(0.28).epsilon(0.002));
  CHECK(cause(b200, "peak").at("explains") == true);
  // An 8-bit run against the 16-bit peak: 91 %.
  const auto h200 =
      calc({"--gpu", "H200", "--params", "1e9", "--tokens-per-second-per-gpu", "150554"});
  CHECK(h200.at("mfu").get<double>() == Approx(0.913).epsilon(0.001));
  CHECK(cause(h200, "dtype").at("explains") == true);
  CHECK(cause(h200, "dtype").at("text").get<std::string>().find("f8e4m3") != std::string::npos);
  // Parameters in billions.
  const auto units =
      calc({"--gpu", "H100", "--params", "7", "--tokens-per-second-per-gpu", "10000"});
  CHECK(cause(units, "params_unit").at("mfu").get<double>() == Approx(4.2e14 / 989.4e12));
  CHECK(cause(units, "params_unit").at("explains") == true);
}

TEST_CASE("calc: sparsity is no excuse where the units have none", "[analyzer]") {
  const auto names = [](Words words) {
    std::vector<std::string> list;
    words.insert(words.end(), {"--params", "1e9", "--tokens-per-second-per-gpu", "30000"});
    const auto answer = calc(words);
    for (const auto& one : answer.at("doubt").at("causes")) list.push_back(one.at("cause"));
    return list;
  };
  const auto count = [](const std::vector<std::string>& list, const char* name) {
    return std::count(list.begin(), list.end(), name);
  };
  CHECK(count(names({"--gpu", "V100-SXM2"}), "sparse_peak") == 0);  // 180 of 125 TFLOP/s
  CHECK(count(names({"--gpu", "A30"}), "sparse_peak") == 1);        // 180 of 165
  const auto single = names({"--gpu", "H100", "--dtype", "f32"});   // 180 of 67; tf32 has 494.7
  CHECK(count(single, "sparse_peak") == 0);
  CHECK(single.front() == "dtype");
  CHECK(names({"--gpu", "H100", "--peak", "0.9894"}).front().starts_with("peak"));
}

TEST_CASE("calc: selective recomputation of parameters alone has no HFU", "[analyzer]") {
  const auto answer = calc({"--gpu", "H100", "--params", "1e9", "--tokens-per-second-per-gpu",
                            "50000", "--recompute", "selective"});
  CHECK(answer.contains("mfu"));
  CHECK_FALSE(answer.contains("hfu"));
  CHECK_FALSE(answer.contains("hardware_flops_per_token"));
}

TEST_CASE("calc: what cannot be is refused by its name", "[analyzer]") {
  const Words base = {"calc", "--gpu",    "H100", "--tokens-per-second-per-gpu",
                      "10",   "--layers", "2",    "--hidden",
                      "64",   "--ffn",    "256",  "--seq",
                      "8"};
  const auto refuses = [&](const char* option, Words more) {
    Words words = base;
    for (std::size_t i = 0; i + 1 < more.size(); i += 2) {
      const auto given = std::find(words.begin(), words.end(), more[i]);
      if (given == words.end())
        words.insert(words.end(), {more[i], more[i + 1]});
      else
        given[1] = more[i + 1];
    }
    const Outcome outcome = mfushim(words);
    INFO(option << outcome.errors);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.output.empty());
    CHECK(outcome.errors.find(option) != std::string::npos);
  };
  refuses("--topk", {"--experts", "4", "--topk", "8"});
  refuses("--kv-heads", {"--heads", "4", "--kv-heads", "8"});
  refuses("--layers", {"--layers", "2.5"});
  refuses("--gpus", {"--gpus", "1.5"});
  refuses("--seq", {"--seq", "0.5"});
  refuses("--hidden", {"--hidden", "1e300"});
  refuses("--peak", {"--peak", "1e-300"});
}

// With d = 64, two layers, f = 128, V = 0: a further token has 2 d (2 heads d_head) + 2 d f
// weights of a layer like the others, and 2 d d that join.
TEST_CASE("calc: a further predicted token counts in 6n, as in palm", "[analyzer]") {
  const auto flops = [](const char* convention, const char* mtp) {
    return calc({"--gpu", "H100", "--tokens-per-second-per-gpu", "10", "--layers", "2", "--hidden",
                 "64", "--ffn", "128", "--vocab", "100", "--seq", "8", "--convention", convention,
                 "--mtp", mtp})
        .at("model_flops_per_token")
        .get<double>();
  };
  const double weights = 4 * 64 * 64 + 2 * 64 * 128 + 2 * 64 * 64 + 64 * 100;
  CHECK(flops("6n", "1") - flops("6n", "0") == Approx(6 * weights));
  CHECK(flops("palm", "1") - flops("palm", "0") == Approx(6 * weights + 12 * 64 * 8));
}

TEST_CASE("measured peaks win over the data sheet, by type", "[analyzer]") {
  using knowledge::parse_measured_peaks;
  const auto peaks = parse_measured_peaks(R"({"schema": "mfushim.peak/1", "results": [
    {"dtype": "bf16", "flops_per_s": 7.94e14}, {"dtype": "f8e4m3", "flops_per_s": 1.4e15},
    {"dtype": "unheard-of", "flops_per_s": 1}, {"dtype": "f16"}, 7]})");
  REQUIRE(peaks.size() == 2);
  CHECK(peaks[0].dtype == format::DType::kBf16);
  CHECK(peaks[0].flops_per_s == 7.94e14);
  CHECK(parse_measured_peaks("").empty());
  CHECK(parse_measured_peaks(R"({"schema": "other/1", "results": []})").empty());
  CHECK(parse_measured_peaks(R"({"schema": 1})").empty());

  const TempFolder folder;
  const std::string log =
      assemble(folder, "log.mfl",
               read_file(std::string(MFUSHIM_SOURCE) + "/tests/golden/model_mfu/log.mfutxt"));
  const std::string file = folder.file(
      "peak.json",
      R"({"schema": "mfushim.peak/1", "results": [{"dtype": "bf16", "flops_per_s": 5e14}]})");
  const auto report = [&](Words more) {
    Words words = {"report", log, "--json", "--peak", "measured:" + file};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = mfushim(words);
    REQUIRE(outcome.exit_code == 0);
    return nlohmann::json::parse(outcome.output).at("mfu");
  };
  const auto mfu = report({});
  CHECK(mfu.at("denominator").at("source") == "measured");
  CHECK(mfu.at("denominator").at("datasheet_flops_per_s").get<double>() == Approx(989.4e12));
  CHECK(mfu.at("hfu").get<double>() == Approx(3.2e9 / 8e-6 / 5e14));  // of a step
  CHECK(report({"--dtype", "f16"}).at("absent_because") == "no peak of f16 was measured");
  CHECK(mfushim({"report", log, "--peak", "measured:" + log}).exit_code == 1);
  CHECK(mfushim({"report", log, "--peak", "measured:/nowhere"}).exit_code == 1);
  CHECK(mfushim({"report", log, "--tokens-per-step", "0"}).exit_code == 2);
  CHECK(mfushim({"report", log, "--model", "no-such"}).exit_code == 2);
}

TEST_CASE("calc: wrong use", "[analyzer]") {
  const Words base = {"calc", "--gpu", "H100", "--tokens-per-second-per-gpu", "10"};
  const auto errors = [&](Words more) {
    Words words = base;
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = mfushim(words);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.output.empty());
    return outcome.errors;
  };
  CHECK(errors({}).find("--model") != std::string::npos);
  CHECK(errors({"--params", "x"}).find("--params") != std::string::npos);
  CHECK(errors({"--params", "-1"}).find("--params") != std::string::npos);
  CHECK(errors({"--model", "llama-3-80b", "--seq", "1"}).find("did you mean") != std::string::npos);
  CHECK(errors({"--model", "llama-3-8b"}).find("--seq") != std::string::npos);
  CHECK(errors({"--params", "1e9", "--convention", "causal"}).find("--layers") !=
        std::string::npos);
  CHECK(errors({"--params", "1e9", "--convention", "none"}).find("palm") != std::string::npos);
  CHECK(errors({"--params", "1e9", "--step-seconds", "1"}).find("not both") != std::string::npos);
  CHECK(mfushim({"calc", "--gpu", "H100", "--params", "1e9", "--step-seconds", "1",
                 "--tokens-per-step", "8"})
            .errors.find("--gpus") != std::string::npos);
  CHECK(mfushim({"calc", "--gpu", "H100", "--model", "/nowhere/config.json", "--seq", "1",
                 "--tokens-per-second-per-gpu", "1"})
            .exit_code == 1);
}

}  // namespace mfushim::test
