// NCCL exports every function twice: strong as pncclX, weak as ncclX, which a program may replace.
#pragma once

#include "../../programs/support/newest_nccl.h"

// After the definition of pncclX in the same file.
#define MFUSIM_WEAK_TWIN(name) \
  extern "C" __attribute__((weak, alias("p" #name))) decltype(p##name) name
