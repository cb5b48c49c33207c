// Looks at the kernels of products whose type is open; see product_types.hpp.
#include "model/product_types.hpp"

#include <map>
#include <utility>

#include "knowledge/compute_types.hpp"

namespace mfushim::model {

namespace {

knowledge::ComputeType compute_of(std::string_view kernel_type) {
  if (kernel_type == "tf32") return knowledge::kCompute32FFastTF32;
  if (kernel_type == "bf16") return knowledge::kCompute32FFast16BF;
  if (kernel_type == "f16") return knowledge::kCompute32FFast16F;
  return knowledge::kComputeImplied;
}

}  // namespace

void let_kernels_tell_types(Process& process) {
  std::map<std::uint32_t, knowledge::ComputeType> told;  // by shape
  for (const auto& [device, list] : process.work)
    for (const DeviceWork& work : list) {
      if (work.kind != WorkKind::kKernel || work.owner == kNone) continue;
      const HostCall& call = process.calls[work.owner];
      if (call.kind != CallKind::kGemm) continue;
      const format::GemmShape& shape = process.shapes[call.subject];
      if (shape.a != format::DType::kF32 || shape.compute != knowledge::kComputeImplied) continue;
      const auto& kernel = process.kernel_names[process.configs[work.config].kernel].facts;
      if (!knowledge::is_product_class(kernel.kernel_class)) continue;
      if (const auto type = compute_of(kernel.dtype); type != knowledge::kComputeImplied)
        told[call.subject] = type;
    }
  for (const auto& [id, type] : told) {
    format::GemmShape shape = process.shapes[id];
    shape.compute = type;
    process.shapes.set(id, shape);
  }
}

}  // namespace mfushim::model
