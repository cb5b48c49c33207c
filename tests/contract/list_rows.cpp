// Prints the symbol of each .def row that is declared in this build: what the recorder must export.
#include <cstdio>

#include "known_versions.h"
#include "mfushim/format/api.hpp"
// After the rows: cuda.h renames some of their names by macros.
#include <cuda.h>
#include <nccl.h>

int main() {
  for (const auto& row : mfushim::format::kApis) {
    const bool nccl = row.library == mfushim::format::Library::kNccl;
    const unsigned version = nccl ? NCCL_VERSION_CODE : CUDA_VERSION;
    const unsigned own = nccl ? MFUSHIM_NCCL_OWN : MFUSHIM_CUDA_OWN;
    if (MFUSHIM_IS_DECLARED(version, own, row.since, row.until))
      std::printf("%.*s\n", static_cast<int>(row.name.size()), row.name.data());
  }
}
