// Names of callback ids, from CUPTI's own enumerations.
#pragma once
#include <cstdint>

namespace mfusim::cupti {

// As in "cuLaunchKernel"; runtime names carry the version that introduced them, as CUPTI gives
// them. NULL: none.
const char* callback_name(bool driver, uint32_t cbid);

}  // namespace mfusim::cupti
