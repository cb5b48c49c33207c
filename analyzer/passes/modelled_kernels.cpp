// Arithmetic of rules is slow, and configurations are few.
#include "passes/modelled_kernels.hpp"

namespace mfushim::passes {

const ModelledWork* ModelledKernels::find(std::uint32_t config) {
  if (!answers_[config].is_known) {
    const format::LaunchConfig& launch = process_.configs[config];
    answers_.set(config, {true, model_launch(process_.kernel_names[launch.kernel].facts, launch)});
  }
  const auto& work = answers_[config].work;
  return work ? &*work : nullptr;
}

const ModelledWork* ModelledKernels::find(const model::DeviceWork& work) {
  const bool announced = work.owner != model::kNone || work.communication;
  if (work.kind != model::WorkKind::kKernel || announced) return nullptr;
  return find(work.config);
}

}  // namespace mfushim::passes
