// Which device a thread uses.
#pragma once
#include "driver.hpp"

namespace mfusim::runtime {

CUcontext primary_context(int device);

}  // namespace mfusim::runtime
