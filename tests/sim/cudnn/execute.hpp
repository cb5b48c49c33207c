// How operations become kernels on a handle's stream, or nodes of a graph.
#pragma once

#include <cudnn.h>

#include <vector>

#include "operation.hpp"

namespace mfusim::cudnn {

// Launches the kernels of the operations on the handle's stream and tells the truth about it.
cudnnStatus_t execute(cudnnHandle_t handle, const char* api,
                      const std::vector<Operation>& operations);

// Adds them to a graph instead; nothing runs.
cudnnStatus_t populate(const char* api, const std::vector<Operation>& operations,
                       cudaGraph_t graph);

// One operation that is bound by memory and moves so many bytes.
cudnnStatus_t execute_pass(cudnnHandle_t handle, const char* api, double bytes);

}  // namespace mfusim::cudnn
