// Work that no call announces: by FlashAttention's grid and by rules of the user; and hints.
#include <catch2/catch.hpp>

#include "knowledge/kernels/expression.hpp"
#include "knowledge/kernels/user_rules.hpp"
#include "passes/gemm_hints.hpp"
#include "passes/modelled.hpp"
#include "passes/roofline.hpp"
#include "support.hpp"

namespace mfushim::passes {

namespace {

using knowledge::Expression;
using knowledge::ExpressionError;
using knowledge::KernelFacts;
using knowledge::RuleError;
using knowledge::UserRules;

// Head dimension 64, 128 queries by 128 keys; the flags are dropout, causal, local, alibi, even
// lengths, even heads, softcap.
std::string flash(const std::string& direction, const std::string& flags) {
  return "void pytorch_flash::flash_" + direction + "_kernel<pytorch_flash::Flash_" +
         direction.substr(0, 3) +
         "_kernel_traits<64, 128, 128, 4, false, false, cutlass::bfloat16_t, "
         "pytorch_flash::Flash_kernel_traits<64, 128, 128, 4, cutlass::bfloat16_t> >, " +
         flags + ">()";
}

std::optional<ModelledWork> work_of(const std::string& name, std::uint32_t x, std::uint32_t y,
                                    std::uint32_t z) {
  format::LaunchConfig config;
  config.grid_x = x;
  config.grid_y = y;
  config.grid_z = z;
  config.block_x = 128;
  return model_launch(knowledge::describe_kernel(name), config);
}

ProductRow product(std::uint64_t m, std::uint64_t n, std::uint64_t k, const std::string& kernel) {
  ProductRow row;
  row.shape = {.m = m, .n = n, .k = k, .a = format::DType::kBf16};
  row.shape.batch = 1;
  row.dtype = format::DType::kBf16;
  row.kernel = kernel;
  row.flops = 2 * m * n * k;
  return row;
}

}  // namespace

TEST_CASE("whole tiles of FlashAttention are exact", "[analyzer]") {
  // 8 blocks of 128 queries, batch 4, 12 heads of 64: 2 products of 2 * 1024 * 1024 * 64 each.
  const auto work =
      work_of(flash("fwd", "false, true, false, false, true, true, false, false"), 8, 4, 12);
  REQUIRE(work);
  const double expected = 2.0 * 2 * 1024 * 1024 * 64 * 4 * 12;
  CHECK(work->flops == expected);
  CHECK(work->low == expected);
  CHECK(work->high == expected);
  CHECK(work->masked == expected * 1023 / 2048);  // the i-th of s queries sees i keys
}

TEST_CASE("the backward kernel does five products by blocks of keys", "[analyzer]") {
  const auto work = work_of(
      flash("bwd_dq_dk_dv_loop_seqk_parallel", "false, false, false, false, true, true, false"), 8,
      4, 12);
  REQUIRE(work);
  CHECK(work->flops == 5.0 * 2 * 1024 * 1024 * 64 * 4 * 12);
  CHECK(work->masked == 0);
}

TEST_CASE("where the last tile is open, a range is given", "[analyzer]") {
  // 1000 tokens and heads of 48, which are neither multiples of 128 nor 64.
  const auto work =
      work_of(flash("fwd", "false, false, false, false, false, false, false, false"), 8, 1, 1);
  REQUIRE(work);
  const double truth = 2.0 * 2 * 1000 * 1000 * 48;
  CHECK(work->low <= truth);
  CHECK(work->high >= truth);
  CHECK(work->high == 2.0 * 2 * 1024 * 1024 * 64);
  CHECK(work->low == 2.0 * 2 * 897 * 897 * 40);
}

TEST_CASE("a window, split keys and an unknown grid give no number", "[analyzer]") {
  CHECK_FALSE(
      work_of(flash("fwd", "false, false, true, false, true, true, false, false"), 8, 4, 12));
  CHECK_FALSE(work_of(flash("fwd_splitkv", "false, false, false, true, true, false, true, false"),
                      8, 4, 12));
  CHECK_FALSE(
      work_of(flash("fwd", "false, true, false, false, true, true, false, false"), 0, 0, 0));
  CHECK_FALSE(work_of("nvjet_tst_128x256_64x4_2x1_v_bz_TNT", 8, 4, 12));
}

TEST_CASE("the arithmetic of rules", "[analyzer]") {
  const std::vector<std::string> names = {"gx", "c1"};
  const auto value = [&](std::string_view text) {
    return Expression::parse(text, names).value({6, 128});
  };
  CHECK(value("2*gx*c1") == 1536);
  CHECK(value("1 + 2 * 3") == 7);
  CHECK(value("(1 + 2) * 3") == 9);
  CHECK(value("8 - 4 - 2") == 2);
  CHECK(value("8 / 4 / 2") == 1);
  CHECK(value("-gx + 7e0") == 1);
  CHECK(value("min(gx, c1) + max(1, -2)") == 7);
  for (const char* wrong : {"", "1 +", "gy", "(1", "min(1)", "1 2", "2 ** 3", "max(1, 2"})
    CHECK_THROWS_AS(Expression::parse(wrong, names), ExpressionError);
  CHECK_THROWS_AS(Expression::parse(std::string(100000, '('), names), ExpressionError);
}

TEST_CASE("rules of the user decide, with captures", "[analyzer]") {
  const UserRules rules = UserRules::parse(
      "# ours\nclass,pattern,flops\ngemm,^my_mm_(\\d+)x(\\d+)_k(\\d+),2*gx*c1*gy*c2*c3\n"
      "\"norm\",\"nvjet.*,\"\n");
  const KernelFacts mine = knowledge::describe_kernel("my_mm_128x64_k512", &rules);
  CHECK(mine.kernel_class == "gemm");
  CHECK(mine.rule_line == 3);
  REQUIRE(mine.flops_rule);
  CHECK(mine.flops_rule->flops({2, 3, 1}, {1, 1, 1}) == 2.0 * 2 * 128 * 3 * 64 * 512);
  CHECK(knowledge::describe_kernel("ampere_sgemm_128x64_tn", &rules).rule_line == 0);
}

TEST_CASE("errors in rules name their line", "[analyzer]") {
  const auto line_of = [](const char* text) -> std::uint64_t {
    try {
      UserRules::parse(text);
    } catch (const RuleError& error) {
      return error.line;
    }
    return 0;
  };
  CHECK(line_of("gemm,ok\ngem,pattern\n") == 2);
  CHECK(line_of("# c\n\ngemm,(,\n") == 3);
  CHECK(line_of("gemm,x,2*q\n") == 1);
  CHECK(line_of("gemm,x,c1\n") == 1);  // the pattern captures nothing
  CHECK(line_of("gemm\n") == 1);
  CHECK(line_of("gemm,x,2*gx\n") == 0);
  const test::TempFolder folder;
  const std::string file = folder.file("rules.csv", "gemm,x\nwrong,y\n");
  const auto outcome = test::mfushim({"explain", "--rules", file, "x"});
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.errors.find("rules.csv:2: ") != std::string::npos);
}

TEST_CASE("a speed is held against the nearer ceiling", "[analyzer]") {
  // 1e15 FLOP/s and 2e12 B/s meet at 500 FLOPs to a byte.
  const Ceilings ceilings{1e15, 2e12};
  CHECK(ceilings.ridge() == 500);
  // 4e11 FLOPs in a millisecond are 40 % of the peak, 1e9 bytes half of the bandwidth.
  const Roofline work{.flops = 4e11, .bytes = 1e9, .time_ns = 1'000'000, .calls = 10};
  CHECK(*work.of_peak(ceilings) == Approx(0.4));
  CHECK(*work.of_bandwidth(ceilings) == Approx(0.5));
  CHECK(*work.intensity() == 400);
  CHECK(work.bound(ceilings) == Bound::kMemory);
  const auto bound_of = [&](double flops, double bytes, std::uint64_t calls) {
    return Roofline{.flops = flops, .bytes = bytes, .time_ns = 1'000'000, .calls = calls}.bound(
        ceilings);
  };
  CHECK(bound_of(4e11, 7e8, 10) == Bound::kCompute);   // 35 % of the bandwidth
  CHECK(bound_of(1e11, 1e8, 10) == Bound::kCompute);   // 10 % and 5 %, but 100 us a call
  CHECK(bound_of(1e11, 1e8, 100) == Bound::kLatency);  // likewise, 10 us a call
  CHECK(bound_of(3e11, 1e8, 100) == Bound::kCompute);
  const Roofline no_bytes{.flops = 1, .bytes = std::nullopt, .time_ns = 1, .calls = 1};
  CHECK(no_bytes.bound(ceilings) == Bound::kUnknown);
  CHECK(work.bound({}) == Bound::kUnknown);
}

TEST_CASE("bytes of products are those of factors and result", "[analyzer]") {
  format::GemmShape shape{.m = 2, .n = 3, .k = 5, .a = format::DType::kBf16};
  shape.b = format::DType::kBf16;
  shape.d = format::DType::kF32;
  shape.batch = 7;
  CHECK(bytes_of(shape) == 7 * ((2 * 5 + 5 * 3) * 2 + 2 * 3 * 4));
  shape.d = format::DType::kUnknown;
  CHECK_FALSE(bytes_of(shape));
}

TEST_CASE("hints name what runs beside a product", "[analyzer]") {
  ProductRow row = product(8192, 4096, 4096, "nvjet_tst_128x256_64x4_2x1_v_bz_splitK_TNT");
  row.calls = 10;
  row.total_ns = 40'000;
  row.helper = "void cublasLt::splitKreduce_kernel<32, 16, int>()";
  row.helper_ns = 10'000;
  row.converted_before = 10;
  row.converter = "void at::native::bfloat16_copy_kernel_cuda<float>()";
  row.converter_ns = 2'500;
  CHECK(gemm_hint(row, 0) ==
        "25 % of its time in cublasLt::splitKreduce_kernel, which sums parts along k; types are "
        "changed "
        "before 10 and after 0 of 10 calls, 2.5 us by at::native::bfloat16_copy_kernel_cuda");
}

TEST_CASE("hints name their evidence", "[analyzer]") {
  const std::string kernel = "nvjet_tst_128x256_64x4_2x1_v_bz_TNT";
  // 64 x 16 tiles are 1024: 7.8 waves of 132, of whole tiles.
  CHECK(gemm_hint(product(8192, 4096, 4096, kernel), 132).empty());
  // 12 x 12 tiles are 144: one wave and 12 tiles.
  CHECK(gemm_hint(product(1536, 3072, 4096, kernel), 132) ==
        "144 tiles of 128x256 are 1.09 waves on 132 SMs: the last is 9 % full");
  CHECK(gemm_hint(product(256, 512, 4096, kernel), 132) == "4 tiles of 128x256 for 132 SMs");
  CHECK(gemm_hint(product(8192, 4096, 4097, kernel), 132) == "k = 4097 is not a multiple of 8");
  CHECK(gemm_hint(product(8192, 4096, 32, kernel), 132) == "k = 32 is little work per element");
  CHECK(gemm_hint(product(8192, 4096, 4096, "ampere_sgemm_128x64_tn"), 0) == "runs on CUDA cores");
}

}  // namespace mfushim::passes
