// The data files beside this header, compiled in; the build makes their source file.
#pragma once

#include <string_view>

namespace mfushim::knowledge {

extern const std::string_view kGpusCsv;
extern const std::string_view kKernelClassesCsv;
extern const std::string_view kModelsCsv;

}  // namespace mfushim::knowledge
