// What kernels' names say: tables of real names with what their sources say, and each grammar.
#include <catch2/catch.hpp>

#include <filesystem>
#include <map>

#include "knowledge/csv.hpp"
#include "knowledge/kernels/kernel.hpp"
#include "knowledge/kernels/name.hpp"
#include "support.hpp"

namespace mfushim::knowledge {

namespace {

std::string name_class(const std::string& name) {
  return std::string(describe_kernel(demangle(name)).kernel_class);
}

KernelFacts facts_of(const std::string& name) {
  return describe_kernel(demangle(name));
}

// The table's words for types, which do not tell the variants of fp8 apart.
bool same_type(std::string_view hint, std::string_view type) {
  static const std::map<std::string_view, std::vector<std::string_view>> kWords = {
      {"fp64", {"f64", "c64"}},
      {"fp32", {"f32"}},
      {"tf32", {"tf32"}},
      {"fp16", {"f16"}},
      {"bf16", {"bf16"}},
      {"16bit(fp16 or bf16)", {"16bit"}},
      {"int8", {"i8"}},
      {"fp8", {"fp8", "f8e4m3", "f8e5m2"}},
      {"fp4", {"fp4", "f4e2m1"}},
      {"fp32+complex", {"c32"}},
      {"fp16+complex", {"f16"}},  // float2 as two values beside half precision
      {"fp8+bf16", {"fp8", "f8e4m3", "f8e5m2"}},
      {"fp8+fp16", {"fp8", "f8e4m3", "f8e5m2"}},
      {"fp4+fp8+bf16", {"fp4", "f4e2m1"}},
  };
  const auto words = kWords.find(hint);
  if (words == kWords.end()) return false;
  return std::find(words->second.begin(), words->second.end(), type) != words->second.end();
}

}  // namespace

TEST_CASE("every name of the project's own sample has its class and types", "[analyzer]") {
  const std::string table = test::read_file(MFUSHIM_SOURCE "/tests/data/kernel_names.csv");
  const auto rows = parse_csv(table);
  REQUIRE(rows.size() > 250);
  for (const CsvRow& row : rows) {
    INFO(row.at("name"));
    const KernelFacts facts = facts_of(row.at("name"));
    CHECK(facts.kernel_class == row.at("class"));
    if (!row.at("dtype").empty()) CHECK(facts.dtype == row.at("dtype"));
    if (!row.at("arch").empty())
      CHECK("sm" + std::to_string(facts.arch) + (facts.arch_or_later ? "+" : "") == row.at("arch"));
  }
}

TEST_CASE("the shared sample of names is classified", "[analyzer]") {
  const std::string path = MFUSHIM_SOURCE "/../shared/data/kernel_names.csv";
  if (!std::filesystem::exists(path)) {
    WARN("skipped: no shared table of kernel names");
    return;
  }
  const std::string table = test::read_file(path);
  int names = 0, classes = 0, types = 0, right_types = 0, archs = 0, right_archs = 0;
  for (const CsvRow& row : parse_csv(table)) {
    const KernelFacts facts = facts_of(row.at("name"));
    ++names;
    if (facts.kernel_class == row.at("class"))
      ++classes;
    else
      UNSCOPED_INFO(row.at("name") << " is " << row.at("class") << ", not " << facts.kernel_class);
    if (!row.at("dtype_hint").empty()) {
      ++types;
      right_types += same_type(row.at("dtype_hint"), facts.dtype) ? 1 : 0;
    }
    if (row.at("arch_hint").starts_with("name:sm")) {
      ++archs;
      const std::string hint = row.at("arch_hint").substr(7);
      right_archs +=
          std::to_string(facts.arch).starts_with(hint.substr(0, hint.find_first_of("+;")));
    }
  }
  REQUIRE(names > 0);
  CHECK(classes * 100 >= names * 99);
  // The rest are pairs of floats that the table calls complex, and outputs that it calls the type.
  CHECK(right_types * 100 >= types * 98);
  CHECK(right_archs == archs);
}

TEST_CASE("nvjet's letters are inputs, sum and output", "[analyzer]") {
  const KernelFacts facts = facts_of("nvjet_sm100_qqtst_128x208_128x6_2x2_2cta_h_bz_splitK_TNT");
  CHECK(facts.family == "nvjet");
  CHECK(facts.dtype == "fp8");
  CHECK(facts.accumulate == "f32");
  CHECK(facts.output == "bf16");
  CHECK(facts.arch == 100);
  CHECK_FALSE(facts.arch_or_later);
  CHECK(facts.tile_m == 128);
  CHECK(facts.tile_n == 208);
  CHECK(facts.tile_k == 128);
  CHECK(facts.stages == 6);
  CHECK(facts.cluster == "2x2");
  CHECK(facts.split_k);
  CHECK(facts.layout == "tn");
  CHECK(facts_of("nvjet_tss_192x192_64x4_2x1_v_bz_coopB_NTN").output == "f32");
}

TEST_CASE("the vendor's older grammars tell types, tile and pipe", "[analyzer]") {
  const KernelFacts xmma = facts_of(
      "sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize64x128x32_stage5_warpsize2x2x1_"
      "tensor16x8x8_aligna4_alignc4");
  CHECK(xmma.dtype == "tf32");
  CHECK(xmma.tile_k == 32);
  CHECK(xmma.stages == 5);
  CHECK(xmma.alignment == 4);
  CHECK(xmma.pipe == Pipe::kTensorCore);
  const KernelFacts simt = facts_of("volta_sgemm_fp16_64x32_sliced1x4_lower_nt");
  CHECK(simt.dtype == "f16");
  CHECK(simt.pipe == Pipe::kSimt);
  CHECK(simt.tile_n == 32);
  CHECK(simt.layout == "nt");
  const KernelFacts cutlass = facts_of(
      "_ZN7cutlass7Kernel2I67cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_32x10_tn_"
      "align8EEvN"
      "T_6ParamsE");
  CHECK(cutlass.arch == 80);
  CHECK(cutlass.tile_m == 64);
  CHECK(cutlass.stages == 10);
  CHECK(cutlass.alignment == 8);
  CHECK(facts_of("cutlass_80_tensorop_s1688gemm_128x128_16x4_nt_align4").dtype == "tf32");
  CHECK(facts_of("cutlass_80_simt_sgemm_128x32_8x5_nn_align1").pipe == Pipe::kSimt);
}

// Types by the letters of Tensile's problem types (H half, B bfloat16, S float: inputs, output,
// sum), tile by MT, layout by which index comes first.
TEST_CASE("Tensile's names tell types, tile and helpers", "[analyzer]") {
  const KernelFacts half = facts_of("Cijk_Ailk_Bljk_HHS_BH_MT128x96x16_MI32x32x8x1_SN_GSU4");
  CHECK(half.kernel_class == "gemm");
  CHECK(half.family == "tensile");
  CHECK(half.dtype == "f16");
  CHECK(half.output == "f16");
  CHECK(half.accumulate == "f32");
  CHECK(half.layout == "nn");
  CHECK(half.pipe == Pipe::kTensorCore);
  CHECK(half.split_k);
  CHECK(std::vector{half.tile_m, half.tile_n, half.tile_k} == std::vector{128U, 96U, 16U});
  CHECK(facts_of("Cijk_Alik_Bjlk_BBS_BH_MT64x64x32").dtype == "bf16");
  CHECK(facts_of("Cijk_Alik_Bjlk_BBS_BH_MT64x64x32").layout == "tt");
  CHECK(facts_of("Cijk_Ailk_Bljk_SB_MT64x64x32").dtype == "f32");
  CHECK(facts_of("Cijk_Ailk_Bljk_HB_MT64x64x32").accumulate == "f16");
  CHECK(facts_of("Cijk_Ailk_Bljk_BB_MT64x64x32").accumulate == "bf16");
  CHECK(facts_of("Cijk_Ailk_Bljk_S_MX_B_MT64x64x32").dtype == "tf32");
  CHECK(facts_of("Cijk_Ailk_Bljk_F8BS_BH_MT64x64x32").output == "bf16");
  CHECK(facts_of("Cijk_Ailk_Bljk_I8II_BH_MT64x64x32").accumulate == "i32");
  CHECK(facts_of("Custom_Cijk_Alik_Bljk_DB_MT64x64x32").dtype == "f64");
  for (const char* helper : {"Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_PostGSU4", "Cijk_SB_GB",
                             "Cijk_HHS_BH_BiasS_PostGSU2_VW4"})
    CHECK(name_class(helper) == "gemm_aux");
}

TEST_CASE("FlashAttention's templates tell head dimension, blocks and mask", "[analyzer]") {
  const KernelFacts two = facts_of(
      "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 32, 4, "
      "false, false, cutlass::bfloat16_t, pytorch_flash::Flash_kernel_traits<64, 128, 32, 4, "
      "cutlass::bfloat16_t> >, false, true, false, false, true, true, false, "
      "false>(pytorch_flash::Flash_fwd_params)");
  CHECK(two.head_dim == 64);
  CHECK(two.tile_m == 128);
  CHECK(two.tile_n == 32);
  CHECK(two.causal);
  CHECK(two.even);
  CHECK_FALSE(two.backward);
  const KernelFacts three = facts_of(
      "void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<"
      "flash::CollectiveMainloopFwdSm90<2, cute::tuple<cute::C<1>, cute::C<1>, cute::C<1> >, "
      "cute::tuple<cute::C<128>, cute::C<176>, cute::C<128> >, 128, cutlass::bfloat16_t, float, "
      "cutlass::arch::Sm90, true, false, false> > > >()");
  CHECK(three.family == "flash_attention_3");
  CHECK(three.tile_n == 176);
  CHECK(three.head_dim == 128);
  CHECK(three.causal);
  CHECK(three.arch == 90);
}

TEST_CASE("templates of CUTLASS 3 tell tile and types", "[analyzer]") {
  const KernelFacts facts = facts_of(
      "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int, "
      "int>, "
      "cutlass::gemm::collective::CollectiveMma<cutlass::gemm::MainloopSm90TmaGmmaWarpSpecialized<"
      "5, "
      "cute::tuple<cute::C<2>, cute::C<1>, cute::C<1> >, "
      "cutlass::gemm::KernelTmaWarpSpecializedPingpong>, cute::tuple<cute::C<64>, cute::C<128>, "
      "cute::C<32> >, cutlass::bfloat16_t, cute::tuple<long> >, float> >()");
  CHECK(facts.kernel_class == "gemm");
  CHECK(facts.family == "cutlass3");
  CHECK(facts.dtype == "bf16");
  CHECK(facts.tile_m == 64);
  CHECK(facts.tile_n == 128);
  CHECK(facts.tile_k == 32);
  CHECK(facts.stages == 5);
  CHECK(facts.arch == 90);
  CHECK(
      facts_of("void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<int>>()")
          .family == "aten");
}

TEST_CASE("names that only look like another class", "[analyzer]") {
  CHECK(name_class("void cutlass::device_kernel<flash::enable_sm90_or_later<"
                   "flash::FlashAttnFwdSm90<int>>>()") == "attention");
  CHECK(name_class("triton_poi_fused__scaled_dot_product_efficient_attention_add_where_3") ==
        "elementwise");
  CHECK(name_class("void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16>()") == "kvcache");
  CHECK(name_class("void fbgemm_gpu::permute_2D_lengths_kernel<int>(int, int)") == "embedding");
  CHECK(name_class("convert_kernel") != "conv");
  CHECK(name_class("properties_kernel") != "rope");
  CHECK(name_class("my_own_kernel") == "other");
  CHECK(name_class("_p_matmul_ogs_NNT_bf16xbf16xmxfp4_128x256x64x1_swiglu") == "gemm");
  CHECK(name_class("fused_swiglu_fp8_kernel") == "activation_quant");
  CHECK(name_class("void mul_mat_q<(ggml_type)12, 64, 8, false>(char const*, int const*)") ==
        "gemm");
  CHECK(name_class("void mul_mat_vec_q<(ggml_type)12, 1>(void const*)") == "gemv");
  CHECK(name_class("void mul_mat_q_stream_k_fixup<(ggml_type)12, 64, 8>(int*)") == "gemm_aux");
  CHECK(name_class("_chunked_cross_entropy_forward") == "loss");
  CHECK(name_class("chunk_fwd_kernel_o") == "ssm");
  CHECK(name_class("_fwd_kernel_flash_decode_stage1") == "attention");
  CHECK(name_class("_fwd_kernel_flash_decode_stage2") == "attention_aux");
  CHECK(name_class("SubTensorOpWithCastTensor1d") == "copy");
  CHECK(name_class("SubTensorOpWithScalar1d") == "elementwise");
  CHECK(name_class("batched_transpose_64x32_pack_2x2_ediv_2x2_half") == "conv_aux");
}

TEST_CASE("DeepGEMM's last argument tells one product from groups", "[analyzer]") {
  const auto of = [](int type) {
    return name_class(
        "void deep_gemm::fp8_gemm_kernel<4096u, 7168u, 128u, 128u, 128u, 32u, 5u, "
        "(deep_gemm::GemmType)" +
        std::to_string(type) + ">(__nv_bfloat16*, float*, int*)");
  };
  CHECK(of(0) == "gemm");
  CHECK(of(1) == "grouped_gemm");
  CHECK(of(2) == "grouped_gemm");
  CHECK(of(4) == "gemm");
}

TEST_CASE("an enumerator's type is no element type", "[analyzer]") {
  CHECK(facts_of("void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, __nv_bfloat16, "
                 "(vllm::Fp8KVCacheDataType)0>()")
            .dtype == "bf16");
}

TEST_CASE("patterns match whole words, however they are written", "[analyzer]") {
  const NameWords words("FusedAddRMSNorm_kernel2");
  CHECK(words.has("rmsnorm"));
  CHECK(words.has("^fused"));
  CHECK(words.has("add*kernel*"));
  CHECK(words.has("kernel2"));
  CHECK_FALSE(words.has("norm2"));
  CHECK_FALSE(words.has("msnorm"));
  CHECK_FALSE(words.has("*snorm"));  // begins in one word and ends in another
  CHECK(NameWords("fusedlayernorm").has("*layernorm"));
  CHECK_FALSE(NameWords("pow_tensor_tensor").has("*sort*"));
}

TEST_CASE("explain reads names from stdin's dash, arguments and brackets", "[analyzer]") {
  const auto outcome = test::mfushim({"explain", "--json", "nvjet_hsh_128x256_64x4_2x1_v_bz_NNN",
                                      "[CUDA memset]", "_Z14gemvNSP_kernelIfEvv"});
  REQUIRE(outcome.exit_code == 0);
  CHECK(outcome.output.find(R"("tile": "128x256x64")") != std::string::npos);
  CHECK(outcome.output.find(R"("class": "memset")") != std::string::npos);
  CHECK(outcome.output.find("gemvNSP_kernel<float>") != std::string::npos);
  CHECK(test::mfushim({"explain"}).exit_code == 2);
}

}  // namespace mfushim::knowledge
