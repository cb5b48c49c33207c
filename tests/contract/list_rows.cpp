// Prints the symbol of each .def row that is declared in this build: what the recorder must export.
#include <cstdio>

#include "known_versions.h"
#include "mfushim/format/api.hpp"
// After the rows: cuda.h renames some of their names by macros.
#include <cuda.h>
#include <nccl.h>

namespace {

bool is_declared(const mfushim::format::ApiRow& row) {
  switch (row.library) {
    case mfushim::format::Library::kNccl:
      return MFUSHIM_IS_DECLARED(NCCL_VERSION_CODE, MFUSHIM_NCCL_OWN, row.since, row.until);
    case mfushim::format::Library::kCudnn:
      return MFUSHIM_IS_DECLARED(MFUSHIM_CUDNN_VERSION, MFUSHIM_CUDNN_OWN, row.since, row.until);
    default:
      return MFUSHIM_IS_DECLARED(CUDA_VERSION, MFUSHIM_CUDA_OWN, row.since, row.until);
  }
}

}  // namespace

int main() {
  for (const auto& row : mfushim::format::kApis)
    if (is_declared(row)) std::printf("%.*s\n", static_cast<int>(row.name.size()), row.name.data());
}
