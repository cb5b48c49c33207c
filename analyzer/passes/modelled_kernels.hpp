// Which kernels of a process have modelled work: each launch configuration is looked at once.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "model/run.hpp"
#include "passes/modelled.hpp"

namespace mfushim::passes {

class ModelledKernels {
 public:
  explicit ModelledKernels(const model::Process& process) : process_(process) {}

  // Of one launch; null where its name and grid do not tell.
  const ModelledWork* find(std::uint32_t config);
  // Likewise; null also where a recorded call announces the work.
  const ModelledWork* find(const model::DeviceWork& work);

 private:
  const model::Process& process_;
  std::unordered_map<std::uint32_t, std::optional<ModelledWork>> known_;  // by configuration
};

}  // namespace mfushim::passes
