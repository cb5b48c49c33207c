// Prints the symbol of each .def row that the installed headers can have: what the recorder must
// export.
#include <cstdio>

#include "mfushim/format/api.hpp"
// After the rows: cuda.h renames some of their names by macros.
#include <cuda.h>
#include <nccl.h>

int main() {
  for (const auto& row : mfushim::format::kApis) {
    const unsigned version =
        row.library == mfushim::format::Library::kNccl ? NCCL_VERSION_CODE : CUDA_VERSION;
    if (version >= row.since && (row.until == 0 || version < row.until)) {
      std::printf("%.*s\n", static_cast<int>(row.name.size()), row.name.data());
    }
  }
}
