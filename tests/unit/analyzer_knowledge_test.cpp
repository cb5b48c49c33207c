// What the data files say, checked against what their sources say.
#include <catch2/catch.hpp>

#include "knowledge/csv.hpp"
#include "knowledge/dtypes.hpp"
#include "knowledge/enum_names.hpp"
#include "knowledge/gpus.hpp"
#include "knowledge/kernels/kernel.hpp"

namespace mfushim::knowledge {

using format::CollectiveOp;
using format::DType;

TEST_CASE("peaks are dense and of the exact device", "[analyzer]") {
  const Gpu* h100 = find_gpu("NVIDIA H100 80GB HBM3");
  REQUIRE(h100);
  CHECK(h100->peak(DType::kBf16) == Approx(989.4e12));  // 1,979 with sparsity on the data sheet
  CHECK(h100->peak(DType::kF8E4M3) == Approx(1978.9e12));
  CHECK(h100->peak(DType::kF32) == Approx(67e12));
  CHECK(h100->peak(DType::kTf32) == Approx(494.7e12));
  CHECK(h100->hbm_bytes_per_s == Approx(3350e9));
  CHECK(find_gpu("NVIDIA H100 PCIe")->peak(DType::kBf16) == Approx(756e12));
  CHECK(find_gpu("NVIDIA L4")->peak(DType::kBf16) == Approx(121e12));
  CHECK(find_gpu("NVIDIA L40S")->peak(DType::kBf16) == Approx(362e12));
}

TEST_CASE("a GPU that is not listed has no peak", "[analyzer]") {
  CHECK(find_gpu("") == nullptr);
  CHECK(find_gpu("NVIDIA H100 80GB HBM3 MIG 1g.10gb") == nullptr);
  CHECK(find_gpu("NVIDIA H1") == nullptr);
  CHECK(find_gpu("AMD Instinct MI300X") == nullptr);
}

TEST_CASE("V100 has no bfloat16 units", "[analyzer]") {
  const Gpu* v100 = find_gpu("Tesla V100-SXM2-32GB");
  REQUIRE(v100);
  CHECK_FALSE(v100->peak(DType::kBf16));
  CHECK(v100->peak(DType::kF16) == Approx(125e12));
}

TEST_CASE("each driver string names one GPU", "[analyzer]") {
  for (const Gpu& gpu : all_gpus())
    for (const std::string& name : gpu.driver_names) {
      INFO(name);
      CHECK(find_gpu(name) == &gpu);
    }
}

TEST_CASE("communication is known by its kernels' names", "[analyzer]") {
  // From public traces and sources, as the rows of kernel_classes.csv say.
  for (const char* name :
       {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "_Z39ncclDevKernel_AllReduce_Sum_f32_TREE_LL24ncclDevKernelArgsStorageILm4096EE",
        "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)",
        "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)",
        "ncclSymkDevKernel_AllGather_LL(ncclSymkDevWorkArgs4K)",
        "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 2>(vllm::RankData*)",
        "void dpsk::ep::internode::dispatch<false, 8, false, 8>(int4*, float*)",
        "userbuffers_fp16_sum_inplace_gpu_rr_ag",
        "void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>()",
        "void (anonymous namespace)::two_shot_all_reduce_kernel_inplace",
        "_mxfp8_all_to_all_v_kernel"}) {
    INFO(name);
    CHECK(describe_kernel(demangle(name)).kernel_class == kCommunicationClass);
  }
}

TEST_CASE("bandwidth factors are those of nccl-tests", "[analyzer]") {
  CHECK(bus_factor(CollectiveOp::kAllReduce, 8) == Approx(2.0 * 7 / 8));
  CHECK(bus_factor(CollectiveOp::kAllGather, 8) == Approx(7.0 / 8));
  CHECK(bus_factor(CollectiveOp::kReduceScatter, 4) == Approx(0.75));
  CHECK(bus_factor(CollectiveOp::kAllToAll, 2) == Approx(0.5));
  CHECK(bus_factor(CollectiveOp::kBroadcast, 8) == Approx(1));
  CHECK_FALSE(bus_factor(CollectiveOp::kAllReduce, -1));
  CHECK(collective_bytes(CollectiveOp::kAllReduce, DType::kBf16, 1000, 8) == 2000);
  CHECK(collective_bytes(CollectiveOp::kAllGather, DType::kF32, 1000, 8) == 32000);
  CHECK(collective_bytes(CollectiveOp::kReduceScatter, DType::kF32, 1000, 8) == 32000);
  CHECK(collective_bytes(CollectiveOp::kBroadcast, DType::kU8, 1000, 8) == 1000);
  CHECK_FALSE(collective_bytes(CollectiveOp::kAllGather, DType::kF32, 1000, -1));
  CHECK_FALSE(collective_bytes(CollectiveOp::kAllReduce, DType::kUnknown, 1000, 8));
}

TEST_CASE("names of enumerations lead back to their values", "[analyzer]") {
  for (unsigned v = 0; v <= static_cast<unsigned>(DType::kCU4); ++v)
    CHECK(value_of<DType>(name_of(static_cast<DType>(v))) == static_cast<DType>(v));
  CHECK(name_of(static_cast<DType>(200)).empty());
  CHECK_FALSE(value_of<DType>("float"));
  CHECK(name_of(DType::kBf16) == "bf16");
}

TEST_CASE("CSV cells may be quoted", "[analyzer]") {
  const auto rows = parse_csv("# comment\na,b\n\"x, y\",\"say \"\"so\"\"\"\n1,\n");
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].at("a") == "x, y");
  CHECK(rows[0].at("b") == "say \"so\"");
  CHECK(rows[1].at("b").empty());
}

}  // namespace mfushim::knowledge
