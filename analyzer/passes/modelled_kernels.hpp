// Which kernels of a process have modelled work: each launch configuration is looked at once.
#pragma once

#include <cstdint>
#include <optional>

#include "model/id_table.hpp"
#include "model/run.hpp"
#include "passes/modelled.hpp"

namespace mfushim::passes {

class ModelledKernels {
 public:
  explicit ModelledKernels(const model::Process& process) : process_(process) {}

  // Of one launch; null where its name and grid do not tell. Good until the next question.
  const ModelledWork* find(std::uint32_t config);
  // Likewise; null also where a recorded call announces the work.
  const ModelledWork* find(const model::DeviceWork& work);

 private:
  const model::Process& process_;
  struct Answer {
    bool is_known = false;
    std::optional<ModelledWork> work;
  };
  model::IdTable<Answer> answers_;  // by configuration: asked for each record of a log
};

}  // namespace mfushim::passes
