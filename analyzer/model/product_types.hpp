// The type that products are computed in, where calls do not tell it.
#pragma once

#include "model/run.hpp"

namespace mfushim::model {

// Of products in f32 whose call leaves it open (an operator of a trace, an old function), the
// kernel's name decides: tensor cores have no f32. For after calls and device work are joined.
void let_kernels_tell_types(Process& process);

}  // namespace mfushim::model
